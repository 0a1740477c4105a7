import { Type, type Static } from 'typebox'
import { exactObject, Id, Name, sameType, Timestamp } from '../scalars.ts'
import { PermissionDto } from '../permission.ts'

const text = Type.String()
const Reference = exactObject(sameType(['id', 'name'], text))
const DomainMember = exactObject({ id: text, name: text, domain: Reference })

/** What a browser is told of its own session; the token stays on the server's side. */
export const SessionDto = exactObject({
  user: exactObject({
    ...sameType(['id', 'name', 'displayname', 'email'], text),
    domain: Reference,
  }),
  scope: exactObject(
    { kind: Type.Enum(['project', 'domain', 'none']), id: text, name: text, domain: Reference },
    { description: 'Where the session is at; of a domain, `domain` is the domain itself' },
  ),
  roles: Type.Array(Reference),
  projects: Type.Array(DomainMember, { description: 'Projects to switch to' }),
  domains: Type.Array(Reference, { description: 'Domains to switch to' }),
  permissions: Type.Array(PermissionDto, {
    description: 'What the roles allow here, operation by operation',
  }),
  csrf_token: Type.String({
    description: 'Sent as `X-CSRF-Token` with every call that changes something',
  }),
  expires_at: Timestamp,
  idle_expires_at: Type.String({
    ...Timestamp,
    description: 'When it ends unless something is done before',
  }),
})
export type SessionDto = Static<typeof SessionDto>

/** One of a user's sessions, as the list of them shows it. */
export const SessionEntry = exactObject({
  ...sameType(['id', 'ip', 'user_agent', 'scope'], text),
  created_at: Timestamp,
  last_seen_at: Timestamp,
  expires_at: Timestamp,
  current: Type.Boolean({ description: 'Whether it is the one that asks' }),
})
export type SessionEntry = Static<typeof SessionEntry>

/** A project, or a domain. */
const Place = exactObject({
  project_id: Type.Optional(Id),
  domain_id: Type.Optional(Id),
})

export const ScopeChange = exactObject({ scope: Place })
export type ScopeChange = Static<typeof ScopeChange>

export const PasswordLogin = exactObject({
  name: Name,
  domain: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: "The name of the user's domain; `Default` unless you say",
    }),
  ),
  password: Type.String({ minLength: 1, maxLength: 8192 }),
  scope: Type.Optional(Place),
})
export type PasswordLogin = Static<typeof PasswordLogin>

const DemoPerson = exactObject({
  ...sameType(['name', 'password', 'domain', 'role'], text),
  project: Type.Union([text, Type.Null()], { description: 'null: the whole domain' }),
})

/** What the login page needs to know before anybody has logged in. */
export const LoginOptions = exactObject({
  platform: text,
  version: text,
  demo: Type.Union([exactObject({ people: Type.Array(DemoPerson) }), Type.Null()], {
    description: 'Whom to try a demo as; null where this is none',
  }),
  cas: Type.Array(Reference, { description: 'CAS servers to log in at' }),
})
export type LoginOptions = Static<typeof LoginOptions>
