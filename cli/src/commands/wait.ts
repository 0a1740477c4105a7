import { isApiError } from '@muster/sdk'
import type { Command } from '../grammar/command.ts'
import { UsageError } from '../usage-error.ts'
import { followTask } from './follow-task.ts'
import { followBatch } from './server-batch.ts'

export const wait: Command = {
  words: ['wait'],
  summary: 'Wait until a task or a batch has ended.',
  usage: 'ID',
  examples: ['wait ID', 'wait ID -f json'],
  flags: [],
  async run(run) {
    const [id, ...others] = run.args.positionals
    if (id === undefined || others.length > 0)
      throw new UsageError('Give the id of a task or a batch.')
    try {
      return await followTask(run, id)
    } catch (error) {
      if (!isApiError(error) || error.status !== 404) throw error
      return await followBatch(run, id)
    }
  },
}
