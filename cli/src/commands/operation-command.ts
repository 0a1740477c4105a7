import type { NounFacts, OperationFacts } from '../description/description.ts'
import type { Command } from '../grammar/command.ts'
import { columnsOf } from './choose-columns.ts'
import { flagsOfOperation } from './item-flags.ts'
import { hasParameter } from './list-query.ts'
import { runOperation, takesItem } from './run-operation.ts'

function examplesOf(operation: OperationFacts, words: string): readonly string[] {
  const { answer, body, method } = operation
  if (takesItem(operation)) return [`${words} NAME`, `${words} NAME -f json`]
  if (answer?.kind === 'list' && method === 'GET') {
    return [words, `${words} --all -f csv`, `${words} -f json -c id -c name`]
  }
  const required = (body?.fields ?? []).filter((field) => field.isRequired && field.name !== 'name')
  const flags = required.map(({ name }) => ` --${name.replaceAll('_', '-')} …`).join('')
  return [`${words}${hasName(operation) ? ' NAME' : ''}${flags}`]
}

const hasName = ({ body }: OperationFacts): boolean =>
  body?.fields.some(({ name }) => name === 'name') === true

function usageOf(operation: OperationFacts): string {
  if (takesItem(operation)) {
    const isList = operation.answer?.kind === 'list'
    return isList ? 'ID|NAME' : 'ID|NAME…'
  }
  if (hasParameter(operation, 'q')) return '[QUERY]'
  return hasName(operation) ? '[NAME]' : ''
}

/** The command of an operation of the contract. */
export function operationCommand(
  noun: NounFacts,
  verb: string,
  operation: OperationFacts,
): Command {
  const words = [noun.word, verb]
  const { known } = columnsOf(operation, noun)
  const { description, permission } = operation
  const rights = permission === undefined ? [] : [`Needs the permission: ${permission}.`]
  return {
    words,
    summary: `${operation.summary}.`,
    usage: usageOf(operation),
    examples: examplesOf(operation, words.join(' ')),
    flags: flagsOfOperation(operation),
    details: [...(description === undefined ? [] : [description]), ...rights].join('\n\n'),
    columns: known,
    ...(takesItem(operation) && { completes: noun.word }),
    run: (run) => runOperation(run, operation, noun),
  }
}
