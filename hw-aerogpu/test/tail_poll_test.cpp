// SPDX-License-Identifier: GPL-2.0-or-later
// The polling policy against model drivers: one on a CPU of its own, one that shares ours, an idle one, a slow one.
#include <gtest/gtest.h>

#include "hw-aerogpu/ring/tail_poll.h"

namespace
{

constexpr int64_t kWakeNs = 12'000; // a thread is woken on another CPU

/// Plays one wait of the render thread. The driver rings `gap` ns after its last fence.
struct Model {
    AeroGPUPoll poll{};
    int64_t waited =
        0; ///< ns from the driver's submission until we have it, of the last wait
    int64_t burned = 0; ///< ns polled, in all
    int polls = 0, hits = 0;

    /// On a CPU of its own the driver runs while we poll.
    void ownCpu(int64_t gap)
    {
        if (poll.ns) {
            ++polls;
            if (gap < poll.ns) {
                burned += gap;
                ++hits;
                waited = 0;
                aerogpu_poll_hit(&poll);
                return;
            }
            burned += poll.ns;
            gap -= poll.ns;
            aerogpu_poll_missed(&poll);
        }
        waited = kWakeNs;
        aerogpu_poll_slept(&poll, gap + kWakeNs, true);
    }

    /// On our CPU the driver stands still while we poll, and `gap` begins when
    /// we sleep; then comes a switch back.
    void ourCpu(int64_t gap)
    {
        constexpr int64_t kSwitchNs = 3'000;
        waited = kSwitchNs;
        if (poll.ns) {
            ++polls;
            burned += poll.ns;
            waited += poll.ns; // it would have submitted that much earlier
            aerogpu_poll_missed(&poll);
        }
        aerogpu_poll_slept(&poll, gap + kSwitchNs, true);
    }
};

TEST(Poll, ABusyDriverIsCaughtFromTheSecondSubmissionOn)
{
    for (const int64_t gap : { 500, 2'000, 10'000, 40'000 }) {
        Model m;
        m.ownCpu(gap);
        EXPECT_EQ(m.waited, kWakeNs);
        for (int i = 0; i < 100; ++i) {
            m.ownCpu(gap);
            EXPECT_EQ(m.waited, 0) << "gap " << gap << ", submission " << i;
        }
    }
}

TEST(Poll, AGapThatGrowsIsFollowed)
{
    Model m;
    for (int i = 0; i < 10; ++i)
        m.ownCpu(1'000);
    m.poll.ns = 4'000;
    m.ownCpu(9'000); // missed once
    EXPECT_GT(m.waited, 0);
    m.ownCpu(9'000);
    EXPECT_EQ(m.waited, 0);
}

TEST(Poll, ADriverOnOurCpuIsNotPolledFor)
{
    Model m;
    int64_t waited = 0;
    constexpr int kSubmissions = 20'000;
    for (int i = 0; i < kSubmissions; ++i) {
        m.ourCpu(2'000);
        waited += m.waited;
    }
    EXPECT_LT(waited / kSubmissions, 3'000 + 200)
        << "on average next to nothing is lost to vain polls";
    EXPECT_LT(m.polls, 60);
}

TEST(Poll, ADriverThatMovesToItsOwnCpuIsPolledForAgain)
{
    Model m;
    for (int i = 0; i < 100'000; ++i)
        m.ourCpu(2'000);
    int until = 0;
    do {
        m.ownCpu(2'000);
        ++until;
    } while (m.waited != 0 && until < 10'000);
    EXPECT_LE(until, AEROGPU_POLL_REST_MAX + 2);
    for (int i = 0; i < 1000; ++i) {
        m.ownCpu(2'000);
        ASSERT_EQ(m.waited, 0);
    }
    // Trouble that comes back later starts with a short rest.
    for (int i = 0; i < 10 && m.poll.rest == 0; ++i)
        m.ourCpu(2'000);
    EXPECT_EQ(m.poll.rest, uint32_t{ AEROGPU_POLL_REST });
}

TEST(Poll, AnIdleDriverCostsNothing)
{
    Model m;
    for (int i = 0; i < 100; ++i)
        m.ownCpu(1'000);
    for (int i = 0; i < 10; ++i)
        m.ownCpu(16'000'000);
    EXPECT_EQ(m.poll.ns, 0);
    m.burned = 0;
    for (int i = 0; i < 1000; ++i)
        m.ownCpu(16'000'000);
    EXPECT_EQ(m.burned, 0);
}

TEST(Poll, ADriverJustTooSlowForTheLongestPollIsNotPolledForEachTime)
{
    Model m;
    m.ownCpu(30'000);
    m.burned = 0;
    for (int i = 0; i < 10'000; ++i)
        m.ownCpu(AEROGPU_POLL_MAX_NS + 10'000);
    EXPECT_LT(m.burned, int64_t{ 10'000 } * AEROGPU_POLL_MAX_NS / 20);
}

TEST(Poll, DoorbellsWithoutWorkAreNoEvidence)
{
    AeroGPUPoll poll{};
    for (int i = 0; i < 100; ++i)
        aerogpu_poll_slept(&poll, 300, false);
    EXPECT_EQ(poll.ns, 0);
    poll.ns = 50'000;
    for (int i = 0; i < 5; ++i) {
        aerogpu_poll_missed(&poll);
        aerogpu_poll_slept(&poll, 300, false);
    }
    EXPECT_EQ(poll.vain, 0u);
    EXPECT_EQ(poll.rest, 0u);
}

TEST(Poll, NeverLongerThanTheLongest)
{
    AeroGPUPoll poll{};
    aerogpu_poll_slept(&poll, AEROGPU_POLL_MAX_NS - 1, true);
    for (int i = 0; i < 100; ++i) {
        EXPECT_LE(poll.ns, AEROGPU_POLL_MAX_NS);
        aerogpu_poll_hit(&poll);
    }
}

} // namespace
