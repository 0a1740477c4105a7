import { Type, type Static } from 'typebox'
import {
  exactObject,
  Id,
  Name,
  OptionalTimestamp,
  Passcode,
  sameType,
  Timestamp,
} from '../scalars.ts'
import { FactorReset, factorNeeds } from '../administration/factors.ts'
import { PermissionDto } from '../permission.ts'

const text = Type.String()
const Reference = exactObject(sameType(['id', 'name'], text))
const DomainMember = exactObject({ id: text, name: text, domain: Reference })

/** A session as its browser sees it. The token stays on the server. */
export const SessionDto = exactObject(
  {
    user: exactObject({
      ...sameType(['id', 'name', 'displayname', 'email'], text),
      domain: Reference,
    }),
    scope: exactObject(
      { kind: Type.Enum(['project', 'domain', 'none']), id: text, name: text, domain: Reference },
      {
        description:
          'Project or domain of the session. For a domain, `domain` is the domain itself.',
      },
    ),
    roles: Type.Array(Reference),
    projects: Type.Array(DomainMember, { description: 'Projects that the session can switch to' }),
    domains: Type.Array(Reference, { description: 'Domains that the session can switch to' }),
    permissions: Type.Array(PermissionDto, {
      description: 'Permissions in the current scope, by operation',
    }),
    second_factor: exactObject(
      {
        required: Type.Enum([...factorNeeds]),
        verified_at: OptionalTimestamp,
        reset: Type.Union([FactorReset, Type.Null()], {
          description: 'Somebody removed the factors of the user, who has confirmed none since',
        }),
      },
      { description: 'See `GET /v3/users/{id}/factors`' },
    ),
    csrf_token: Type.String({
      description: 'Send it as `X-CSRF-Token` with every request that changes something',
    }),
    expires_at: Timestamp,
    idle_expires_at: Type.String({
      ...Timestamp,
      description: 'When the session expires without activity',
    }),
  },
  { title: 'Session' },
)
export type SessionDto = Static<typeof SessionDto>

/** A session in the list of a user's sessions. */
export const SessionEntry = exactObject({
  ...sameType(['id', 'ip', 'user_agent', 'scope'], text),
  created_at: Timestamp,
  last_seen_at: Timestamp,
  expires_at: Timestamp,
  current: Type.Boolean({ description: 'Whether this is the session of the request' }),
})
export type SessionEntry = Static<typeof SessionEntry>

/** A project or a domain, by id. */
const ScopeById = exactObject({
  project_id: Type.Optional(Id),
  domain_id: Type.Optional(Id),
})

export const ScopeChange = exactObject({ scope: ScopeById })
export type ScopeChange = Static<typeof ScopeChange>

export const PasswordLogin = exactObject({
  name: Name,
  domain: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: "Name of the user's domain. Default: `Default`.",
    }),
  ),
  password: Type.String({ minLength: 1, maxLength: 8192 }),
  passcode: Type.Optional(Passcode),
  scope: Type.Optional(ScopeById),
})
export type PasswordLogin = Static<typeof PasswordLogin>

const DemoPerson = exactObject({
  ...sameType(['name', 'password', 'domain', 'role'], text),
  project: Type.Union([text, Type.Null()], { description: 'null: the login is for the domain' }),
})

/** What the login page needs to know before the login. */
export const LoginOptions = exactObject({
  platform: text,
  version: text,
  demo: Type.Union([exactObject({ people: Type.Array(DemoPerson) }), Type.Null()], {
    description: 'Users of the demo. null: no demo.',
  }),
  providers: Type.Array(Reference, { description: 'Identity providers with a login page' }),
})
export type LoginOptions = Static<typeof LoginOptions>
