import { Type, type Static } from 'typebox'
import { identityDefaults } from '../operation-defaults.ts'
import type { Operation } from '../operation.ts'
import { changesObject, exactObject, orNull } from '../scalars.ts'
import { example } from './examples.ts'

const day = 86_400
/** The shortest time, in seconds: a rule must leave time to change it again. */
const shortestRule = 300
const longestRule = 366 * day

const seconds = (description: string) =>
  orNull(Type.Integer({ minimum: shortestRule, maximum: longestRule, description }))

const rules = {
  token_lifetime: seconds(
    'Seconds after a login at which its tokens end at the latest, also those issued from them. null: only `--token-ttl` limits them.',
  ),
  session_lifetime: seconds(
    'Seconds after a login at which a browser session ends at the latest. null: it ends with its token.',
  ),
  session_idle: seconds(
    'Seconds without activity after which a browser session ends. null: only `--session-idle` limits it.',
  ),
  networks: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
    maxItems: 100,
    description:
      'Networks and addresses from which its users log in and use their tokens and sessions, such as `10.0.0.0/8` or `2001:db8::/32`. Empty: all. Break-glass users, access keys and workloads are exempt.',
  }),
}

export const LoginRules = exactObject(rules)
export type LoginRules = Static<typeof LoginRules>

/** A domain without rules of its own. */
export const noLoginRules: LoginRules = {
  token_lifetime: null,
  session_lifetime: null,
  session_idle: null,
  networks: [],
}

const LoginRulesRequest = changesObject({
  token_lifetime: Type.Optional(rules.token_lifetime),
  session_lifetime: Type.Optional(rules.session_lifetime),
  session_idle: Type.Optional(rules.session_idle),
  networks: Type.Optional(rules.networks),
  dry_run: Type.Optional(Type.Boolean({ description: 'Change nothing. Default: false.' })),
})
export type LoginRulesRequest = Static<typeof LoginRulesRequest>

const count = Type.Integer({ minimum: 0 })

const LoginRulesResult = exactObject({
  ...rules,
  ended_tokens: { ...count, description: 'Number of tokens that the rules end at once' },
  ended_sessions: { ...count, description: 'Number of browser sessions that they end at once' },
  outside: {
    ...count,
    description: 'Number of users who are logged in from an address outside of `networks`',
  },
  outside_users: Type.Array(exactObject({ id: Type.String(), name: Type.String() }), {
    description: 'The first 100 of these, by name',
  }),
  problem: Type.String({ description: 'Why it would be refused, otherwise empty' }),
})
export type LoginRulesDto = Static<typeof LoginRulesResult>

const officeHours: LoginRules = {
  token_lifetime: 28_800,
  session_lifetime: 28_800,
  session_idle: 1_800,
  networks: ['198.51.100.0/24', '2001:db8::/32'],
}

export const loginRuleOperations = [
  {
    id: 'updateLoginRules',
    method: 'POST',
    path: '/v3/domains/{id}/login_rules',
    ...identityDefaults,
    permission: {
      service: 'identity',
      resource: 'domains',
      action: 'perform',
      at: ['system', 'domain'],
    },
    tag: 'Domains',
    summary: 'Limit how long and from where users of a domain are logged in',
    description:
      'Changes the rules that the request names. They hold at once for tokens and sessions that exist already. Send it with `dry_run` first. 403 with a token of an access key, and for administrators of a domain that has users with a role on the system. 409 if `networks` would not contain your own address, or if they could exclude the last system administrator.',
    body: exactObject({ login_rules: LoginRulesRequest }),
    example: { login_rules: { ...officeHours, dry_run: true } },
    responses: {
      200: {
        description: 'The rules, and who is affected',
        body: exactObject({ login_rules: LoginRulesResult }),
        example: {
          login_rules: {
            ...officeHours,
            ended_tokens: 4,
            ended_sessions: 2,
            outside: 1,
            outside_users: [{ id: example.userId, name: 'ada' }],
            problem: '',
          },
        },
      },
    },
  },
] as const satisfies readonly Operation[]
