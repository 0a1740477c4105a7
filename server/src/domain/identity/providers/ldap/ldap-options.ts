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

export const ldapOptions: DriverOptions = {
  servers: { kind: 'directories', isTrusted: true, needsSecretsAgain: true },
  plain_text: {
    kind: 'choice',
    choices: ['never', 'loopback', 'always'],
    default: 'never',
    isTrusted: true,
    needsSecretsAgain: true,
  },
  ca: { kind: 'certificates', default: '', isTrusted: true, needsSecretsAgain: true },
  bind_dn: { kind: 'text', default: '', isTrusted: true },
  bind_password: { kind: 'text', default: '', isSecret: true },
  base_dn: { kind: 'text', isTrusted: true },
  user_filter: { kind: 'text', default: '(uid={name})', isTrusted: true },
  user_dn: { kind: 'text', default: '', isTrusted: true },
  // Names and distinguished names are given to somebody else sooner or later.
  id_attribute: {
    kind: 'choice',
    choices: ['entryUUID', 'objectGUID', 'nsUniqueId', 'ipaUniqueID'],
    default: 'entryUUID',
    isTrusted: true,
    isFixed: true,
  },
  name_attribute: { kind: 'text', default: 'uid' },
  group_base_dn: { kind: 'text', default: '', isTrusted: true },
  group_filter: { kind: 'text', default: '(member={dn})', isTrusted: true },
  nested_groups: { kind: 'boolean', default: true, isTrusted: true },
  create_users: { kind: 'boolean', default: true },
  sync_minutes: { kind: 'choice', choices: [0, 15, 60, 360, 1440], default: 60 },
  sync_limit: { kind: 'choice', choices: [50, 100], default: 50 },
}
