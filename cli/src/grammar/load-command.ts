import type { Description, NounFacts } from '../description/description.ts'
import type { Command } from './command.ts'
import type { Found, OwnCommand } from './find-command.ts'

/** Whether a batch can perform the verb. */
const isServerAction = (description: Description, { word }: NounFacts, verb: string): boolean =>
  word === 'server' &&
  description.operations['createBatch']?.body?.fields
    .find(({ name }) => name === 'action')
    ?.values?.includes(verb) === true

/** Loads the code of a command. Undefined: only a noun was named. */
export async function loadCommand(
  description: Description,
  own: readonly OwnCommand[],
  { own: found, noun, verb }: Found,
): Promise<Command | undefined> {
  if (found) return await found.load(description, own)
  const operation = description.operations[noun?.verbs[verb ?? ''] ?? '']
  if (!noun || verb === undefined || !operation) return undefined
  if (isServerAction(description, noun, verb)) {
    const { serverAction } = await import('../commands/server-action.ts')
    return serverAction(noun, verb, operation)
  }
  const { operationCommand } = await import('../commands/operation-command.ts')
  return operationCommand(noun, verb, operation)
}
