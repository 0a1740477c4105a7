import { forgetToken } from '../connection/profiles.ts'
import type { Command } from '../grammar/command.ts'

export const authLogout: Command = {
  words: ['auth', 'logout'],
  summary: 'Revoke the token and forget it.',
  usage: '',
  examples: ['auth logout', 'auth logout --profile night'],
  flags: [],
  async run(run) {
    const { client, settings } = await run.connect()
    const { profile } = settings
    try {
      await client.logOut()
    } finally {
      // Without an answer the token is forgotten all the same.
      if (profile) forgetToken(run.environment, profile.name)
    }
    run.output.note(`Logged out of ${settings.authUrl}.`)
    return 0
  },
}
