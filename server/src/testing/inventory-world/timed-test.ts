import { test as plainTest, type TestContext } from 'node:test'

type Run = (context: TestContext) => Promise<void> | void

/**
 * More than a server of a real back end may take to start on a busy machine. The variable is for tests of
 * the kit itself, with sources that hang.
 */
const defaultTimeout = Number(process.env['CONFORMANCE_TEST_TIMEOUT'] ?? 240_000)

/** A test of the kit. A source that hangs fails this test by name, not the whole file. */
export const test = (title: string, run: Run, timeout = defaultTimeout): Promise<void> =>
  plainTest(title, { timeout }, run)
