import type { OperationFacts } from '../description/description.ts'
import { globalFlags, listFlags, type Flag } from '../grammar/flag.ts'
import { flagOfParameter, isCovered } from '../grammar/parameter-flags.ts'
import { isDestructive } from './confirm.ts'
import { queryFlagsOf } from './list-query.ts'
import { isSecret } from './run-operation.ts'

export const yesFlag: Flag = {
  name: 'yes',
  short: 'y',
  kind: 'boolean',
  help: 'Do not ask to confirm.',
}
const bodyFlag: Flag = {
  name: 'body',
  kind: 'value',
  placeholder: 'JSON',
  help: 'The whole body: JSON, @FILE, or @- for stdin. Flags go over it.',
}
const longFlag: Flag = { name: 'long', kind: 'boolean', help: 'Print empty fields too.' }

const stdinFlag = (name: string): Flag => ({
  name: `${name}-stdin`,
  kind: 'boolean',
  help: `Read --${name} from stdin, so that it is not in a list of processes.`,
})

const namesOf = ({ name, aliases = [] }: Flag): readonly string[] => [name, ...aliases]

/** The flags of an operation: what it takes, and what its kind of answer needs. */
export function flagsOfOperation(operation: OperationFacts): readonly Flag[] {
  const { query, body, answer, method } = operation
  const isList = answer?.kind === 'list' && method === 'GET'
  const fields = (body?.fields ?? []).map(flagOfParameter)
  const secrets = fields.filter(({ name }) => isSecret(name)).map(({ name }) => stdinFlag(name))
  const own = [
    ...(isList ? listFlags : [longFlag]),
    ...fields,
    ...secrets,
    ...queryFlagsOf(operation),
    ...query.filter((each) => !isCovered(each, operation)).map(flagOfParameter),
    ...(body ? [bodyFlag] : []),
    ...(isDestructive(operation) ? [yesFlag] : []),
  ]
  // A parameter with the name of a flag of all commands has no flag of its own.
  const seen = new Set(globalFlags.flatMap(namesOf))
  return own.filter((flag) => {
    const isNew = !seen.has(flag.name)
    for (const name of namesOf(flag)) seen.add(name)
    return isNew
  })
}
