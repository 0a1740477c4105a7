import type { Command } from '../grammar/command.ts'
import { ownToken } from './auth-status.ts'

export const authToken: Command = {
  words: ['auth', 'token'],
  summary: 'Print a token, for curl.',
  usage: '',
  examples: [
    'auth token',
    'auth token | curl -H "X-Auth-Token: $(cat)" https://muster.test/servers',
  ],
  flags: [],
  async run(run) {
    run.output.write(`${await ownToken(run)}\n`)
    return 0
  },
}
