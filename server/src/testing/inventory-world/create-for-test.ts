import type { TestContext } from 'node:test'
import type { SourceBackEnd } from './source-back-end.ts'

/** Creates a server that does not outlive the test, and returns its id. */
export async function createForTest(
  context: TestContext,
  { create, remove }: Pick<SourceBackEnd, 'create' | 'remove'>,
  name: string,
): Promise<string> {
  const id = await create(name)
  // It fails if the test itself has removed the server.
  context.after(() => remove(id).catch(() => {}))
  return id
}
