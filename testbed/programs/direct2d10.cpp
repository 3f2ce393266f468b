// SPDX-License-Identifier: MIT
// direct2d10.exe: Direct2D on a device of Direct3D 10.1, as programs for Windows 7 have it: gradients, strokes, paths,
// clips, bitmaps and a compatible target, without text, drawn on the surface of a swap chain's buffer. Compares some
// points with what Direct2D's documentation says of them; the picture as a whole is judged by the test, which draws it
// with another Direct3D too. Edges are Direct2D's own affair.
//
//   direct2d10.exe [--at X,Y] [--hold] [--expectation FILE]     as the programs of Direct3D 9 (program.h); FILE gets
//   the
//                                                               picture that was drawn
#include "testbed/programs/program10.h"

#include <d2d1.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "guest-drivers/programs/fail.h"

namespace programs {
namespace {

constexpr UINT kWidth = 320, kHeight = 240;
constexpr int kTolerance = 2;  // gradients and blends are rounded more than once
constexpr D2D1_MATRIX_3X2_F kIdentity = {{{1, 0, 0, 1, 0, 0}}};

struct Colour {
  float r, g, b, a;
};
constexpr Colour kUnder = {0.2f, 0.4f, 0.6f, 1}, kRed = {1, 0.2f, 0, 1}, kGreen = {0, 0.8f, 0.2f, 1},
                 kBlue = {0, 0.2f, 1, 1}, kYellow = {1, 0.8f, 0.2f, 1}, kDark = {0.1f, 0.1f, 0.2f, 1},
                 kWhite = {1, 1, 1, 1};

D2D1_COLOR_F colourOf(const Colour &of) {
  return {of.r, of.g, of.b, of.a};
}

uint32_t pixelOf(const Colour &of) {
  return argb(unorm8(of.a), unorm8(of.r), unorm8(of.g), unorm8(of.b));
}

/// `t` of the way from one colour to another.
Colour between(const Colour &from, const Colour &to, double t) {
  const auto mix = [t](float a, float b) { return static_cast<float>(a + (b - a) * t); };
  return {mix(from.r, to.r), mix(from.g, to.g), mix(from.b, to.b), mix(from.a, to.a)};
}

D2D1_RECT_F box(float left, float top, float width, float height) {
  return {left, top, left + width, top + height};
}

/// A turn about a point, by degrees.
D2D1_MATRIX_3X2_F turn(double degrees, float x, float y) {
  const double radians = degrees * 3.14159265358979323846 / 180;
  const auto c = static_cast<float>(std::cos(radians)), s = static_cast<float>(std::sin(radians));
  return {{{c, s, -s, c, x - x * c + y * s, y - x * s - y * c}}};
}

constexpr UINT kTexels = 4;

/// The bitmap's texels, opaque.
Colour texel(UINT x, UINT y) {
  return {static_cast<float>(x) / 3, static_cast<float>(y) / 3, (x + y) % 2 ? 0.2f : 0.8f, 1};
}

class Scene {
public:
  Scene(ID2D1Factory *factory, ID2D1RenderTarget *target) : factory_(factory), target_(target) {}

  /// Draws all, and compares the points of each part with what `shown` has then. So a part's shaders are compiled, if
  /// the driver does that when it draws, before the next part waits for the GPU.
  bool draw(const Shown10 &shown, Picture &got) {
    using Part = bool (Scene::*)();
    for (const Part part :
         {&Scene::begin, &Scene::drawLinear, &Scene::drawRadial, &Scene::drawShapes, &Scene::drawPaths,
          &Scene::drawFrame, &Scene::drawClips, &Scene::drawBitmaps, &Scene::drawBitmapBrush, &Scene::drawCompatible}) {
      target_->BeginDraw();
      const bool drawn = (this->*part)();
      if (!ok(target_->EndDraw(nullptr, nullptr), "EndDraw") || !drawn ||
          !readTexture(shown.device.get(), shown.buffer.get(), got) || !holds(got))
        return false;
    }
    return true;
  }

private:
  struct Point {
    const char *what;
    UINT x, y;
    Colour colour;
  };

  /// Compares the points that were noted.
  bool holds(const Picture &got) const {
    for (const Point &point : points_)
      for (int shift = 0; shift < 32; shift += 8) {
        const int is = static_cast<int>(got.at(point.x, point.y) >> shift & 255);
        if (std::abs(is - static_cast<int>(pixelOf(point.colour) >> shift & 255)) > kTolerance)
          return fail("%s: (%u,%u) is %08x, not %08x", point.what, point.x, point.y, got.at(point.x, point.y),
                      pixelOf(point.colour));
      }
    return true;
  }

  void expect(const char *what, UINT x, UINT y, const Colour &colour) { points_.push_back({what, x, y, colour}); }

  bool solid(const Colour &colour, ComPtr<ID2D1SolidColorBrush> &brush, float opacity = 1) {
    const D2D1_COLOR_F of = colourOf(colour);
    const D2D1_BRUSH_PROPERTIES properties = {opacity, kIdentity};
    return ok(target_->CreateSolidColorBrush(&of, &properties, brush.put()), "CreateSolidColorBrush");
  }

  bool begin() {
    const D2D1_COLOR_F under = colourOf(kUnder);
    target_->Clear(&under);
    expect("the background", kWidth - 1, kHeight - 1, kUnder);
    return solid(kRed, red_) && solid(kGreen, green_) && solid(kYellow, yellow_) && solid(kDark, dark_) &&
           solid(kBlue, halfBlue_, 0.5f);
  }

  bool linear(const D2D1_GRADIENT_STOP *stops, UINT count, float from, float to,
              ComPtr<ID2D1LinearGradientBrush> &brush) {
    ComPtr<ID2D1GradientStopCollection> collection;
    const D2D1_LINEAR_GRADIENT_BRUSH_PROPERTIES line = {{from, 0}, {to, 0}};
    return ok(target_->CreateGradientStopCollection(stops, count, D2D1_GAMMA_2_2, D2D1_EXTEND_MODE_CLAMP,
                                                    collection.put()),
              "CreateGradientStopCollection") &&
           ok(target_->CreateLinearGradientBrush(&line, nullptr, collection.get(), brush.put()),
              "CreateLinearGradientBrush");
  }

  /// Three stops, clamped outside; then two, of which one is clear, and two at half the opacity. Wine 8 has
  /// no other extend modes, and does not multiply colours of stops by their alpha, which black does not show.
  bool drawLinear() {
    const D2D1_GRADIENT_STOP three[] = {{0, colourOf(kRed)}, {0.5f, colourOf(kGreen)}, {1, colourOf(kBlue)}},
                             clear[] = {{0, {0, 0, 0, 1}}, {1, {0, 0, 0, 0}}},
                             two[] = {{0, colourOf(kYellow)}, {1, colourOf(kDark)}};
    constexpr float kFrom = 24, kTo = 136, kClear = 8, kHalf = 84, kLong = 68;
    ComPtr<ID2D1LinearGradientBrush> clamped, cleared, half;
    if (!linear(three, 3, kFrom, kTo, clamped) || !linear(clear, 2, kClear, kClear + kLong, cleared) ||
        !linear(two, 2, kHalf, kHalf + kLong, half))
      return false;
    half->SetOpacity(0.5f);
    const D2D1_RECT_F all = box(8, 8, 144, 24), left = box(kClear, 36, kLong, 20), right = box(kHalf, 36, kLong, 20);
    target_->FillRectangle(&all, clamped.get());
    target_->FillRectangle(&left, cleared.get());
    target_->FillRectangle(&right, half.get());
    expect("before the first stop", 12, 20, kRed);
    expect("after the last stop", 148, 20, kBlue);
    for (const UINT x : {40u, 70u, 80u, 100u, 130u}) {
      const double t = (x + 0.5 - kFrom) / (kTo - kFrom);
      expect("between stops", x, 20, t < 0.5 ? between(kRed, kGreen, 2 * t) : between(kGreen, kBlue, 2 * t - 1));
    }
    for (const UINT x : {10u, 40u, 70u}) {
      expect("towards a clear stop", x, 46, between({0, 0, 0, 1}, kUnder, (x + 0.5 - kClear) / kLong));
      expect("half a gradient", x + 76, 46, between(kUnder, between(kYellow, kDark, (x + 76.5 - kHalf) / kLong), 0.5));
    }
    return true;
  }

  bool drawRadial() {
    constexpr float kX = 200, kY = 34, kAcross = 40, kDown = 26;
    const D2D1_GRADIENT_STOP stops[] = {{0, colourOf(kWhite)}, {1, colourOf(kDark)}};
    ComPtr<ID2D1GradientStopCollection> collection;
    ComPtr<ID2D1RadialGradientBrush> brush;
    const D2D1_RADIAL_GRADIENT_BRUSH_PROPERTIES about = {{kX, kY}, {0, 0}, kAcross, kDown};
    if (!ok(target_->CreateGradientStopCollection(stops, 2, D2D1_GAMMA_2_2, D2D1_EXTEND_MODE_CLAMP, collection.put()),
            "CreateGradientStopCollection") ||
        !ok(target_->CreateRadialGradientBrush(&about, nullptr, collection.get(), brush.put()),
            "CreateRadialGradientBrush"))
      return false;
    const D2D1_ELLIPSE whole = {{kX, kY}, kAcross, kDown};
    target_->FillEllipse(&whole, brush.get());
    for (const UINT x : {172u, 188u, 200u, 220u, 230u})
      for (const UINT y : {28u, 34u, 44u}) {
        const double across = (x + 0.5 - kX) / kAcross, down = (y + 0.5 - kY) / kDown;
        expect("round", x, y, between(kWhite, kDark, std::sqrt(across * across + down * down)));
      }
    expect("beside the ellipse", 164, 12, kUnder);
    return true;
  }

  /// Rectangles that overlap, strokes, a rounded rectangle, an ellipse, lines.
  bool drawShapes() {
    const D2D1_RECT_F below = box(8, 64, 40, 32), above = box(28, 76, 40, 32), outline = box(80, 68, 36, 36);
    target_->FillRectangle(&below, red_.get());
    target_->FillRectangle(&above, halfBlue_.get());
    target_->DrawRectangle(&outline, dark_.get(), 6, nullptr);
    expect("a rectangle", 12, 70, kRed);
    expect("half over a rectangle", 38, 86, between(kRed, kBlue, 0.5));
    expect("half over the background", 58, 100, between(kUnder, kBlue, 0.5));
    expect("a stroke", 80, 86, kDark);
    expect("inside a stroke", 98, 86, kUnder);
    const D2D1_ROUNDED_RECT round = {box(128, 66, 48, 40), 12, 12};
    target_->FillRoundedRectangle(&round, yellow_.get());
    target_->DrawRoundedRectangle(&round, dark_.get(), 4, nullptr);
    expect("a rounded rectangle", 152, 86, kYellow);
    expect("beside a rounded corner", 127, 65, kUnder);
    const D2D1_ELLIPSE ellipse = {{212, 86}, 26, 18};
    target_->DrawEllipse(&ellipse, green_.get(), 8, nullptr);
    expect("inside an ellipse", 212, 86, kUnder);
    expect("an ellipse's stroke", 238, 86, kGreen);
    target_->DrawLine({250, 12}, {310, 60}, yellow_.get(), 5, nullptr);
    target_->DrawLine({250, 60}, {310, 60}, red_.get(), 4, nullptr);
    expect("a line", 280, 36, kYellow);
    expect("a level line", 270, 60, kRed);
    return true;
  }

  /// A star of five lines that cross, about a point, whose middle is inside twice.
  bool star(float x, float y, D2D1_FILL_MODE mode, ComPtr<ID2D1PathGeometry> &path) {
    ComPtr<ID2D1GeometrySink> sink;
    if (!ok(factory_->CreatePathGeometry(path.put()), "CreatePathGeometry") || !ok(path->Open(sink.put()), "Open"))
      return false;
    sink->SetFillMode(mode);
    for (int i = 0; i < 5; ++i) {
      const double angle = i * 4 * 3.14159265358979323846 / 5;
      const D2D1_POINT_2F point = {x + static_cast<float>(26 * std::sin(angle)),
                                   y - static_cast<float>(26 * std::cos(angle))};
      if (i == 0)
        sink->BeginFigure(point, D2D1_FIGURE_BEGIN_FILLED);
      else
        sink->AddLine(point);
    }
    sink->EndFigure(D2D1_FIGURE_END_CLOSED);
    return ok(sink->Close(), "Close");
  }

  bool drawPaths() {
    ComPtr<ID2D1PathGeometry> hollow, full, leaf;
    if (!star(36, 144, D2D1_FILL_MODE_ALTERNATE, hollow) || !star(96, 144, D2D1_FILL_MODE_WINDING, full) ||
        !ok(factory_->CreatePathGeometry(leaf.put()), "CreatePathGeometry"))
      return false;
    target_->FillGeometry(hollow.get(), yellow_.get(), nullptr);
    target_->FillGeometry(full.get(), yellow_.get(), nullptr);
    expect("an alternate star's middle", 36, 144, kUnder);
    expect("an alternate star's ray", 36, 126, kYellow);
    expect("a winding star's middle", 96, 144, kYellow);
    ComPtr<ID2D1GeometrySink> sink;
    if (!ok(leaf->Open(sink.put()), "Open")) return false;
    const D2D1_BEZIER_SEGMENT there = {{140, 112}, {180, 112}, {190, 144}}, back = {{180, 176}, {140, 176}, {130, 144}};
    sink->BeginFigure({130, 144}, D2D1_FIGURE_BEGIN_FILLED);
    sink->AddBezier(&there);
    sink->AddBezier(&back);
    sink->EndFigure(D2D1_FIGURE_END_CLOSED);
    if (!ok(sink->Close(), "Close of curves")) return false;
    target_->FillGeometry(leaf.get(), green_.get(), nullptr);
    target_->DrawGeometry(leaf.get(), dark_.get(), 4, nullptr);
    expect("inside curves", 160, 144, kGreen);
    expect("the end of a curve", 130, 144, kDark);
    return true;
  }

  /// Adds a rectangle as a figure.
  static void rectangle(ID2D1GeometrySink *sink, const D2D1_RECT_F &of) {
    const D2D1_POINT_2F rest[] = {{of.right, of.top}, {of.right, of.bottom}, {of.left, of.bottom}};
    sink->BeginFigure({of.left, of.top}, D2D1_FIGURE_BEGIN_FILLED);
    sink->AddLines(rest, 3);
    sink->EndFigure(D2D1_FIGURE_END_CLOSED);
  }

  /// One rectangle in another, as one path: a frame; turned by a quarter it stands. (Wine 8 draws no groups.)
  bool drawFrame() {
    ComPtr<ID2D1PathGeometry> path;
    ComPtr<ID2D1GeometrySink> sink;
    ComPtr<ID2D1TransformedGeometry> turned;
    if (!ok(factory_->CreatePathGeometry(path.put()), "CreatePathGeometry") || !ok(path->Open(sink.put()), "Open"))
      return false;
    rectangle(sink.get(), box(206, 128, 44, 32));
    rectangle(sink.get(), box(214, 136, 28, 16));
    const D2D1_MATRIX_3X2_F quarter = turn(90, 228, 144);
    if (!ok(sink->Close(), "Close of a frame") ||
        !ok(factory_->CreateTransformedGeometry(path.get(), &quarter, turned.put()), "CreateTransformedGeometry"))
      return false;
    target_->FillGeometry(turned.get(), red_.get(), nullptr);
    expect("the frame's middle", 228, 144, kUnder);
    expect("the frame", 216, 126, kRed);
    expect("where the frame was", 208, 144, kUnder);
    return true;
  }

  /// A clip in another, and what is turned in a clip.
  bool drawClips() {
    const D2D1_RECT_F outer = box(262, 72, 48, 36), inner = box(282, 64, 48, 24), all = box(0, 0, kWidth, kHeight);
    target_->PushAxisAlignedClip(&outer, D2D1_ANTIALIAS_MODE_ALIASED);
    target_->FillRectangle(&all, dark_.get());
    target_->PushAxisAlignedClip(&inner, D2D1_ANTIALIAS_MODE_ALIASED);
    target_->FillRectangle(&all, yellow_.get());
    target_->PopAxisAlignedClip();
    const D2D1_MATRIX_3X2_F turned = turn(30, 272, 98);
    const D2D1_RECT_F long_ = box(232, 94, 80, 8);
    target_->SetTransform(&turned);
    target_->FillRectangle(&long_, green_.get());
    target_->SetTransform(&kIdentity);
    target_->PopAxisAlignedClip();
    expect("in a clip", 266, 76, kDark);
    expect("in both clips", 300, 80, kYellow);
    expect("in the inner clip alone", 300, 68, kUnder);
    expect("turned, in a clip", 272, 98, kGreen);
    expect("turned, beside a clip", 250, 86, kUnder);
    return true;
  }

  bool createBitmap() {
    uint8_t bytes[kTexels][kTexels][4];
    for (UINT y = 0; y < kTexels; ++y)
      for (UINT x = 0; x < kTexels; ++x)
        for (int channel = 0; channel < 4; ++channel)
          bytes[y][x][channel] = static_cast<uint8_t>(pixelOf(texel(x, y)) >> 8 * channel);
    const D2D1_BITMAP_PROPERTIES properties = {{DXGI_FORMAT_B8G8R8A8_UNORM, D2D1_ALPHA_MODE_PREMULTIPLIED}, 96, 96};
    return ok(target_->CreateBitmap({kTexels, kTexels}, bytes, sizeof bytes[0], &properties, bitmap_.put()),
              "CreateBitmap");
  }

  /// A bitmap of four by four texels, enlarged: the nearest texel, between texels, half over the background, one part.
  bool drawBitmaps() {
    constexpr UINT kScale = 12;
    constexpr float kSide = kTexels * kScale, kTop = 180;
    if (!createBitmap()) return false;
    const D2D1_RECT_F nearest = box(8, kTop, kSide, kSide), smooth = box(64, kTop, kSide, kSide),
                      half = box(120, kTop, kSide, kSide), part = box(176, kTop, kSide, kSide),
                      middle = box(1, 1, 2, 2);
    target_->DrawBitmap(bitmap_.get(), &nearest, 1, D2D1_BITMAP_INTERPOLATION_MODE_NEAREST_NEIGHBOR, nullptr);
    target_->DrawBitmap(bitmap_.get(), &smooth, 1, D2D1_BITMAP_INTERPOLATION_MODE_LINEAR, nullptr);
    target_->DrawBitmap(bitmap_.get(), &half, 0.5f, D2D1_BITMAP_INTERPOLATION_MODE_NEAREST_NEIGHBOR, nullptr);
    target_->DrawBitmap(bitmap_.get(), &part, 1, D2D1_BITMAP_INTERPOLATION_MODE_NEAREST_NEIGHBOR, &middle);
    const auto top = static_cast<UINT>(kTop);
    for (UINT y = 0; y < kTexels; ++y)
      for (UINT x = 0; x < kTexels; ++x) {
        const UINT inX = x * kScale + kScale / 2, inY = top + y * kScale + kScale / 2;
        expect("a texel", 8 + inX, inY, texel(x, y));
        expect("half a texel", 120 + inX, inY, between(kUnder, texel(x, y), 0.5));
        expect("a texel of a part", 176 + inX, inY, texel(1 + x / 2, 1 + y / 2));
        // Half a pixel beside the texel's centre, where it is 1/24 of the next one.
        constexpr double kNext = 0.5 / kScale;
        const UINT nextX = std::min(x + 1, kTexels - 1), nextY = std::min(y + 1, kTexels - 1);
        expect("between texels", 64 + inX, inY,
               between(between(texel(x, y), texel(nextX, y), kNext),
                       between(texel(x, nextY), texel(nextX, nextY), kNext), kNext));
      }
    return true;
  }

  /// The bitmap as a brush, repeated, six pixels a texel.
  bool drawBitmapBrush() {
    constexpr UINT kScale = 6, kLeft = 232, kTop = 180;
    const D2D1_BITMAP_BRUSH_PROPERTIES repeated = {D2D1_EXTEND_MODE_WRAP, D2D1_EXTEND_MODE_WRAP,
                                                   D2D1_BITMAP_INTERPOLATION_MODE_NEAREST_NEIGHBOR};
    const D2D1_BRUSH_PROPERTIES scaled = {1, {{{kScale, 0, 0, kScale, kLeft, kTop}}}};
    ComPtr<ID2D1BitmapBrush> brush;
    if (!ok(target_->CreateBitmapBrush(bitmap_.get(), &repeated, &scaled, brush.put()), "CreateBitmapBrush"))
      return false;
    const D2D1_ELLIPSE ellipse = {{kLeft + 20, kTop + 24}, 22, 22};
    target_->FillEllipse(&ellipse, brush.get());
    for (UINT y = 2; y < 6; ++y)
      for (UINT x = 2; x < 5; ++x)
        expect("a brush's texel", kLeft + x * kScale + 3, kTop + y * kScale + 3, texel(x % kTexels, y % kTexels));
    return true;
  }

  /// A target of its own, drawn and turned by an eighth.
  bool drawCompatible() {
    const D2D1_SIZE_F size = {28, 28};
    ComPtr<ID2D1BitmapRenderTarget> other;
    ComPtr<ID2D1Bitmap> drawn;
    if (!ok(target_->CreateCompatibleRenderTarget(&size, nullptr, nullptr, D2D1_COMPATIBLE_RENDER_TARGET_OPTIONS_NONE,
                                                  other.put()),
            "CreateCompatibleRenderTarget"))
      return false;
    const D2D1_COLOR_F white = colourOf(kWhite);
    const D2D1_RECT_F half = box(0, 0, 14, 28), place = box(280, 186, 28, 28);
    other->BeginDraw();
    other->Clear(&white);
    other->FillRectangle(&half, red_.get());
    if (!ok(other->EndDraw(nullptr, nullptr), "EndDraw of a compatible target") ||
        !ok(other->GetBitmap(drawn.put()), "GetBitmap"))
      return false;
    const D2D1_MATRIX_3X2_F turned = turn(45, 294, 200);
    target_->SetTransform(&turned);
    target_->DrawBitmap(drawn.get(), &place, 1, D2D1_BITMAP_INTERPOLATION_MODE_LINEAR, nullptr);
    target_->SetTransform(&kIdentity);
    expect("a compatible target's left", 288, 194, kRed);
    expect("a compatible target's right", 300, 206, kWhite);
    return true;
  }

  ID2D1Factory *factory_;
  ID2D1RenderTarget *target_;
  ComPtr<ID2D1SolidColorBrush> red_, green_, yellow_, dark_, halfBlue_;
  ComPtr<ID2D1Bitmap> bitmap_;
  std::vector<Point> points_;
};

int run(int argc, char **argv) {
  speaker = "direct2d10";
  Options11 options;
  if (!readOptions(argc, argv, options)) return 2;
  Shown10 shown;
  if (!shown.open(options, kWidth, kHeight, DXGI_FORMAT_B8G8R8A8_UNORM, D3D10_CREATE_DEVICE_BGRA_SUPPORT)) return 1;
  ComPtr<ID2D1Factory> factory;
  ComPtr<IDXGISurface> surface;
  ComPtr<ID2D1RenderTarget> target;
  const D2D1_RENDER_TARGET_PROPERTIES properties = {D2D1_RENDER_TARGET_TYPE_DEFAULT,
                                                    {DXGI_FORMAT_UNKNOWN, D2D1_ALPHA_MODE_PREMULTIPLIED},
                                                    96,
                                                    96,
                                                    D2D1_RENDER_TARGET_USAGE_NONE,
                                                    D2D1_FEATURE_LEVEL_DEFAULT};
  if (!ok(D2D1CreateFactory(D2D1_FACTORY_TYPE_SINGLE_THREADED, __uuidof(ID2D1Factory), nullptr,
                            reinterpret_cast<void **>(factory.put())),
          "D2D1CreateFactory") ||
      !ok(shown.chain->GetBuffer(0, __uuidof(IDXGISurface), reinterpret_cast<void **>(surface.put())),
          "GetBuffer as a surface") ||
      !ok(factory->CreateDxgiSurfaceRenderTarget(surface.get(), &properties, target.put()),
          "CreateDxgiSurfaceRenderTarget"))
    return 1;
  Scene scene(factory.get(), target.get());
  Picture got;
  if (!scene.draw(shown, got) || !ok(shown.chain->Present(0, 0), "Present")) return 1;
  return shown.finish(options, got) ? 0 : 1;
}

}  // namespace
}  // namespace programs

int main(int argc, char **argv) {
  return programs::run(argc, argv);
}
