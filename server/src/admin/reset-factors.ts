import { ConfigError } from '../config/parsers.ts'
import { createDirectory } from '../storage/identity/directory.ts'
import { createResetFactors } from '../storage/identity/reset-factors.ts'
import { createAdminEvent } from './admin-event.ts'
import { databaseCommand } from './database-command.ts'
import { readArguments } from './read-arguments.ts'

interface Input {
  readonly user: string
  readonly domain: string
}

export const resetFactors = databaseCommand({
  name: 'reset-factors',
  summary: 'Remove the second factors of a user. Ends the tokens and sessions of the user.',
  usage: '[USER] [--domain NAME]',
  examples: ['reset-factors   those of sysadmin', 'reset-factors alice --domain Research'],

  parse(args): Input {
    const options = { domain: 'value' } as const
    const { words, values } = readArguments(args, { options, mostWords: 1 })
    return { user: words[0] ?? 'sysadmin', domain: values['domain'] ?? 'Default' }
  },

  isInput(input): input is Input {
    const { user, domain } = (input ?? {}) as Partial<Record<keyof Input, unknown>>
    return typeof user === 'string' && typeof domain === 'string'
  },

  async execute({ user: name, domain }, { database, clock, print }) {
    const { credentials } = await createDirectory(database).findCredentials({
      name,
      domain: { name: domain },
    })
    if (!credentials) throw new ConfigError(`there is no user "${name}" in the domain "${domain}"`)
    const { user } = credentials
    const event = createAdminEvent(clock, {
      action: 'reset_factors',
      targetType: 'user',
      targetId: user.id,
      targetName: user.name,
      scope: { kind: 'domain', domainId: user.domainId },
    })
    const ended = await createResetFactors(database)(user.id, event)
    print(`${user.name} in the domain ${domain} has no second factor any more.`)
    print(
      `Removed: ${ended.factors} factors, ${ended.recoveryCodes} recovery codes. Ended: ${ended.tokens} tokens, ${ended.sessions} browser sessions.`,
    )
    return 0
  },
})
