// SPDX-License-Identifier: MIT
// The guest's view of a failed call. renderer/process/test/client_test.cpp covers the ways in which calls
// fail; renderer/vulkan/test/translator_test.cpp covers a translator that is missing, lies or dies.
#include "renderer/translator/client.h"

#include <gtest/gtest.h>

namespace aerogpu::translator {
namespace {

using Reason = process::CallError::Reason;

TEST(TranslatorErrors, TheGuestIsToldOfItsShadersFaultsOnly) {
  for (const Reason reason : {Reason::TooBig, Reason::Refused, Reason::Died})
    EXPECT_EQ(errorOf({reason}).code, ErrorCode::CmdDecode) << static_cast<int>(reason);
  for (const Reason reason : {Reason::NoSocket, Reason::NoChild, Reason::NoAnswer, Reason::Ended})
    EXPECT_EQ(errorOf({reason}).code, ErrorCode::Backend) << static_cast<int>(reason);
  EXPECT_EQ(errorOf({Reason::Cancelled}).code, ErrorCode::Interrupted);
}

TEST(TranslatorErrors, ARefusalKeepsItsReason) {
  const Error error = errorOf({Reason::Refused, "no such opcode"});
  EXPECT_EQ(error.detail, "no such opcode");
  EXPECT_STRNE(error.what, "");
}

TEST(TranslatorProcess, SaysWhyThereIsNone) {
  EXPECT_EQ(shared(), nullptr);
  EXPECT_NE(whyNone().find("not called"), std::string::npos);
  std::string error;
  EXPECT_FALSE(prepareProcess("/nonexistent/translator", error));
  EXPECT_NE(error.find("the shader translator /nonexistent/translator cannot be started"), std::string::npos);
  EXPECT_EQ(whyNone(), error);
  EXPECT_EQ(shared(), nullptr);
}

}  // namespace
}  // namespace aerogpu::translator
