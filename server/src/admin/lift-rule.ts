import { isDeepStrictEqual } from 'node:util'
import { noLoginRules } from '@muster/contract'
import { ConfigError } from '../config/parsers.ts'
import type { Changes } from '../domain/audit/event.ts'
import {
  listLoginRules,
  liftRule as lift,
  type DomainRules,
  type LiftedRule,
} from '../storage/identity/login-rules.ts'
import { createAdminEvent } from './admin-event.ts'
import { databaseCommand } from './database-command.ts'
import { readArguments } from './read-arguments.ts'

interface Rule {
  /** What changes; empty if the domain has no such rule. */
  changes(rules: DomainRules): Changes
  readonly columns: LiftedRule
  /** What holds without the rule. */
  says(rules: DomainRules): readonly string[]
}

/** The rules of a domain that can prevent logins, by their names as arguments. */
const liftable: Readonly<Record<string, Rule>> = {
  'local-passwords': {
    changes: ({ localPasswords, since }) =>
      localPasswords === 'on'
        ? {}
        : { local_passwords: [localPasswords, 'on'], local_passwords_since: [since, null] },
    columns: { local_passwords: 'on', local_passwords_since: null },
    says: ({ name, otherPasswords }) => [
      `All users of ${name} can log in with their passwords.`,
      `Other users who have one: ${otherPasswords}.`,
      'Set others with: muster admin reset-password',
    ],
  },
  'login-rules': {
    changes: ({ loginRules }) =>
      isDeepStrictEqual(loginRules, noLoginRules)
        ? {}
        : { login_rules: [loginRules, noLoginRules] },
    columns: { login_rules: JSON.stringify(noLoginRules) },
    says: ({ name }) => [`Users of ${name} can log in from any network.`],
  },
}

interface Input {
  readonly domain: string
  readonly name: string
}

export const liftRule = databaseCommand({
  name: 'lift-rule',
  summary: 'Lift a rule of a domain that prevents logins.',
  usage: `DOMAIN ${Object.keys(liftable).join('|')}`,
  examples: [
    'lift-rule Default local-passwords     all users with a password can log in with it',
    'lift-rule "Research" login-rules      logins last as long as elsewhere, from any network',
  ],

  parse(args): Input {
    const [domain, name] = readArguments(args, { mostWords: 2 }).words
    if (domain === undefined) throw new ConfigError('name the domain and the rule (see --help)')
    if (name === undefined || !Object.hasOwn(liftable, name)) {
      throw new ConfigError(`the rule must be one of ${Object.keys(liftable).join(', ')}`)
    }
    return { domain, name }
  },

  isInput: (input): input is Input =>
    typeof input === 'object' && input !== null && 'domain' in input && 'name' in input,

  async execute({ domain, name }, { database, clock, print }) {
    const [rules] = await listLoginRules(database, domain)
    const rule = liftable[name]
    if (!rules || !rule) throw new ConfigError(`there is no domain "${domain}"`)
    const changes = rule.changes(rules)
    if (Object.keys(changes).length === 0) {
      print(`${rules.name} has no such rule.`)
    } else {
      const event = createAdminEvent(clock, {
        action: 'update',
        targetType: 'domain',
        targetId: rules.id,
        targetName: rules.name,
        scope: { kind: 'domain', domainId: rules.id },
        changes,
      })
      await lift(database, rules.id, rule.columns, event)
      print(`The rule of ${rules.name} is lifted.`)
    }
    for (const line of rule.says(rules)) print(line)
    return 0
  },
})
