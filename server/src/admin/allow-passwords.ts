import { ConfigError } from '../config/parsers.ts'
import { allowPasswords as allow, listLoginRules } from '../storage/identity/login-rules.ts'
import { createAdminEvent } from './admin-event.ts'
import { databaseCommand } from './database-command.ts'
import { readArguments } from './read-arguments.ts'

export const allowPasswords = databaseCommand({
  name: 'allow-passwords',
  summary: 'Let all users of a domain log in with their passwords of Muster again.',
  usage: 'DOMAIN',
  examples: ['allow-passwords Default', 'allow-passwords "Research and Development"'],

  parse(args): string {
    const [domain] = readArguments(args, { mostWords: 1 }).words
    if (domain === undefined) throw new ConfigError('name the domain (see --help)')
    return domain
  },

  isInput: (input): input is string => typeof input === 'string',

  async execute(domain, { database, clock, print }) {
    const [rules] = await listLoginRules(database, domain)
    if (!rules) throw new ConfigError(`there is no domain "${domain}"`)
    const { id, name, localPasswords, since, otherPasswords } = rules
    if (localPasswords === 'on') {
      print(`All users of ${name} can already log in with their passwords.`)
      return 0
    }
    const event = createAdminEvent(clock, {
      action: 'update',
      targetType: 'domain',
      targetId: id,
      targetName: name,
      scope: { kind: 'domain', domainId: id },
      changes: {
        local_passwords: [localPasswords, 'on'],
        local_passwords_since: [since, null],
      },
    })
    await allow(database, id, event)
    print(`All users of ${name} can log in with their passwords again.`)
    print(`Users who were refused and still have one: ${otherPasswords}.`)
    print('Set others with: muster admin reset-password')
    return 0
  },
})
