import { Type, type Static } from 'typebox'
import { maxQueryLength, scopeValues } from '../resources/list-operations.ts'
import {
  boolean,
  enumeration,
  filterable,
  knownTimestamp,
  number,
  searchable,
  text,
  timestamp,
  wireSchema,
  type Resource as ResourceDescription,
} from '../resources/resource.ts'
import { changesObject, exactObject, FreeText, NewName } from '../scalars.ts'

/** Maximum number of checks of a project, of a domain, or of the system. */
export const maxChecksPerOwner = 100

/** From harmless to urgent. */
export const checkSeverities = ['info', 'warning', 'critical'] as const
export type CheckSeverity = (typeof checkSeverities)[number]

const longestGrace = 366 * 86_400

const properties = {
  name: { ...NewName, maxLength: 128 },
  description: FreeText,
  severity: Type.Enum([...checkSeverities]),
  q: Type.String({
    minLength: 1,
    maxLength: maxQueryLength,
    description: '`q` of the list of servers. Servers in use that it matches violate the check.',
  }),
  grace: Type.Integer({
    minimum: 0,
    maximum: longestGrace,
    description: 'For how many seconds a server must match before it is a violation',
  }),
  enabled: Type.Boolean({ description: 'Whether the check is evaluated' }),
}

/** A saved query that should match nothing. */
export const checks = {
  key: 'check',
  keys: 'checks',
  noun: 'Check',
  nouns: 'Checks',
  one: 'a check',
  many: 'checks',
  fields: {
    id: text('Id', searchable),
    name: text('Name. Equality ignores case and width.', searchable),
    description: text('What is wrong with servers that violate the check', searchable),
    severity: {
      ...enumeration('`info`, `warning` or `critical`', filterable),
      schema: properties.severity,
    },
    q: text(
      '`q` of the list of servers. Empty for a built-in check that no query can express.',
      searchable,
    ),
    grace: number('For how many seconds a server must match before it is a violation', filterable),
    enabled: boolean('Whether the check is evaluated', filterable),
    built_in: boolean('Whether the check is part of Muster', filterable),
    project_id: text(
      'The check is about servers of this project. Empty: see `domain_id`.',
      filterable,
    ),
    domain_id: text(
      'The check is about servers of this domain. Both are empty: it is about all servers.',
      filterable,
    ),
    violations: number('How many violations that you can access are open', filterable),
    evaluated_at: timestamp('When the check was last evaluated', filterable),
    error: text('Why the last evaluation failed. Empty: it did not fail.', filterable),
    created_at: knownTimestamp('When the check was created', filterable),
    updated_at: knownTimestamp('When the check was last changed', filterable),
  },
} as const satisfies ResourceDescription

export const Check = wireSchema(checks)
export type Check = Static<typeof Check>

export const violationSubjects = ['server', 'account'] as const

/** An interval in which a server, or an account, violated a check. */
export const checkViolations = {
  key: 'violation',
  keys: 'violations',
  noun: 'Violation',
  nouns: 'Violations',
  one: 'a violation',
  many: 'violations',
  fields: {
    id: text('Id', filterable),
    subject_kind: {
      ...enumeration('`server` or `account`', filterable),
      schema: Type.Enum([...violationSubjects]),
    },
    subject_id: text('Id of the server or account', searchable),
    name: text('Name of the server or account when it began to match', searchable),
    project_id: text('Project of the server. Empty for an account.', filterable),
    domain_id: text('Domain of the server. Empty for an account.', filterable),
    since: knownTimestamp('Since when it matches', filterable),
    opened_at: knownTimestamp('When the grace time was over', filterable),
    until: timestamp('When it stopped. null: it lasts.', filterable),
    is_open: boolean('Whether it lasts', filterable),
  },
} as const satisfies ResourceDescription

export const CheckViolation = wireSchema(checkViolations)
export type CheckViolation = Static<typeof CheckViolation>

const optional = {
  description: Type.Optional(properties.description),
  severity: Type.Optional(properties.severity),
  grace: Type.Optional(properties.grace),
  enabled: Type.Optional(properties.enabled),
}

export const NewCheck = exactObject({
  name: properties.name,
  q: properties.q,
  ...optional,
  scope: Type.Optional(
    Type.Enum([...scopeValues], {
      description:
        'Whose servers it is about: `project` or `domain` of the token, `system` or `max` (the largest that you can access). Default: the scope of the token.',
    }),
  ),
})
export type NewCheck = Static<typeof NewCheck>

export const CheckChanges = changesObject({
  name: Type.Optional(properties.name),
  q: Type.Optional(properties.q),
  ...optional,
})
export type CheckChanges = Static<typeof CheckChanges>

/** A version of an operating system whose end of support is known. */
export const OperatingSystem = exactObject({
  name: Type.String({ description: 'Such as `Ubuntu` or `Windows Server`' }),
  version: Type.String({ description: 'Such as `24.04` or `2022`' }),
  supported_until: Type.String({
    format: 'date',
    description: 'The last day of security updates for everybody, as the vendor announced it',
  }),
  has_ended: Type.Boolean({ description: 'Whether this day is over, in UTC' }),
})
export type OperatingSystem = Static<typeof OperatingSystem>
