# SPDX-License-Identifier: MIT
"""Writes TAP."""


class Report:
    """Writer of TAP on standard output. The plan and the counts of passed, failed and skipped points come at the
    end."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def point(self, name, wrong=None, skip=None):
        self.failed += bool(wrong)
        self.skipped += bool(skip)
        self.passed += not wrong and not skip
        note = ' # SKIP ' + skip if skip else ' # ' + wrong if wrong else ''
        print('%s %s%s' % ('not ok' if wrong else 'ok', name, note), flush=True)

    def note(self, text):
        print('# ' + text, flush=True)

    def stop(self, stack):
        """Stops a stack, and reports as a point whether the server's exit status says that the kernel driver broke no
        rule."""
        code = stack.stop()
        self.point('the kernel driver broke no rule', '' if code == 0 else 'the driver host ended with %s: %s' % (
            code, '; '.join(stack.lines.text().splitlines()[-4:])))

    def end(self):
        print('1..%d\n# %d passed, %d failed, %d skipped' % (
            self.passed + self.failed + self.skipped, self.passed, self.failed, self.skipped), flush=True)
