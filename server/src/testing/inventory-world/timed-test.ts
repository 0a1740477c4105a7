import { test as plainTest, type TestContext } from 'node:test'

type Run = (context: TestContext) => Promise<void> | void

/** A test of the kit. A source that hangs fails this test by name, not the whole file. */
export const test = (title: string, run: Run, timeout = 90_000): Promise<void> =>
  plainTest(title, { timeout }, run)
