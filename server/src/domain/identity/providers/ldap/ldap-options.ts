import type { PlainText } from '../../ldap-session.ts'
import type { DriverOptions } from '../read-options.ts'

export type LdapOptions = {
  /** Separated by blanks, tried in this order. */
  readonly servers: string
  readonly plain_text: PlainText
  readonly ca: string
  /** Who reads the directory; empty for anonymous, or for the user who logs in. */
  readonly bind_dn: string
  readonly bind_password: string
  readonly base_dn: string
  /** With `{name}`. */
  readonly user_filter: string
  /** With `{name}`, if users bind directly; empty to search for them. */
  readonly user_dn: string
  readonly id_attribute: string
  readonly name_attribute: string
  readonly group_base_dn: string
  /** With `{dn}` and `{name}` of the user; empty for no groups. */
  readonly group_filter: string
  readonly nested_groups: boolean
  readonly sync_minutes: number
  readonly sync_limit: number
}

export const serversOf = ({ servers }: LdapOptions): readonly string[] =>
  servers.trim().split(/\s+/)

export const ldapOptions: DriverOptions = {
  servers: {
    kind: 'directories',
    description:
      'Up to 5 addresses such as ldaps://ldap.example.org, separated by blanks. The next one is asked if one gives no answer.',
    isTrusted: true,
    needsSecretsAgain: true,
  },
  plain_text: {
    kind: 'choice',
    description: 'Whether ldap:// may work without TLS: never, on the same machine only, or always',
    choices: ['never', 'loopback', 'always'],
    default: 'never',
    isTrusted: true,
    needsSecretsAgain: true,
  },
  ca: {
    kind: 'certificates',
    description: 'Certificate authority of the servers in PEM. Empty: the public authorities.',
    default: '',
    isTrusted: true,
    needsSecretsAgain: true,
  },
  bind_dn: {
    kind: 'text',
    description:
      'Distinguished name of the entry that reads people and groups. Empty: searches are anonymous or use the rights of the user, and nothing is synced.',
    default: '',
    isTrusted: true,
  },
  bind_password: {
    kind: 'text',
    description: 'Password of that entry',
    default: '',
    isSecret: true,
  },
  base_dn: {
    kind: 'text',
    description: 'Distinguished name under which people are, such as dc=example,dc=org',
    isTrusted: true,
  },
  user_filter: {
    kind: 'text',
    description: 'Who may log in. {name} is what was typed.',
    default: '(uid={name})',
    isTrusted: true,
  },
  user_dn: {
    kind: 'text',
    description:
      'Distinguished name of users, such as uid={name},ou=people,dc=example,dc=org. Empty: Muster searches for them.',
    default: '',
    isTrusted: true,
  },
  // Names and distinguished names are given to somebody else sooner or later.
  id_attribute: {
    kind: 'choice',
    description: 'Attribute with the permanent id of a person',
    choices: ['entryUUID', 'objectGUID', 'nsUniqueId', 'ipaUniqueID'],
    default: 'entryUUID',
    isTrusted: true,
    isFixed: true,
  },
  name_attribute: {
    kind: 'text',
    description: 'Attribute with the name of a new user',
    default: 'uid',
    // Tests and previews show its values.
    isTrusted: true,
  },
  group_base_dn: {
    kind: 'text',
    description: 'Distinguished name under which groups are. Empty: that of people.',
    default: '',
    isTrusted: true,
  },
  group_filter: {
    kind: 'text',
    description: 'The groups of a person, by {dn} or {name}. Empty: no groups.',
    default: '(member={dn})',
    isTrusted: true,
  },
  nested_groups: {
    kind: 'boolean',
    description: 'Whether groups that contain these groups count too, up to 10 levels',
    default: true,
    isTrusted: true,
  },
  create_users: {
    kind: 'boolean',
    description:
      'Whether the first login creates a user. Otherwise only people who have logged in before, or whose login is linked, can log in.',
    default: true,
  },
  sync_minutes: {
    kind: 'choice',
    description: 'Minutes after which the users are read from the directory again. 0: never.',
    choices: [0, 15, 60, 360, 1440],
    default: 60,
  },
  sync_limit: {
    kind: 'choice',
    description: 'Percentage of people that one sync may end or take roles from',
    choices: [50, 100],
    default: 50,
  },
}
