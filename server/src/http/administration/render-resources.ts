import {
  administeredResources,
  flatProviderOptions,
  identityProviders,
  type AdministeredKind,
  type AdministeredResource,
  type AdministeredResources,
  type FieldDescription,
  type NewCredentialDto,
  type RoleAssignmentDto,
  type Wire,
} from '@muster/contract'
import type { GrantRecord } from '../../domain/identity/administration/registry.ts'
import type { AccessKey, Resources } from '../../domain/identity/administration/resources.ts'
import { timestampOrNull } from '../../domain/timestamp.ts'

type ResourceRenderers = {
  readonly [K in AdministeredKind]: (item: Resources[K]) => Wire<AdministeredResources[K]>
}

const blobOf = ({ expires_at }: AccessKey, secret: string) =>
  JSON.stringify({ secret, expire: Math.floor((expires_at ?? 0) / 1_000) })

/** Fields that are computed, besides the links. */
const computed: { readonly [K in AdministeredKind]?: (item: Resources[K]) => object } = {
  credentials: (key) => ({ blob: blobOf(key, '') }),
  identity_providers: ({ options }) =>
    Object.fromEntries(
      Object.keys(flatProviderOptions).map((name) => [
        name,
        options[name] ?? identityProviders.fields[name as keyof typeof flatProviderOptions].default,
      ]),
    ),
}

function valueOf(
  name: string,
  { notStored, type, default: value }: FieldDescription,
  stored: Readonly<Record<string, unknown>>,
): unknown {
  if (notStored === 'constant') return value
  // A new resource was not read yet.
  if (notStored === 'derived') return stored[name] ?? value
  if (typeof notStored === 'object') return stored[notStored.sameAs]
  return type === 'timestamp' ? timestampOrNull(stored[name] as number | null) : stored[name]
}

/** Renders resources for the API as their descriptions say. */
export function createRenderers(authUrl: string) {
  const rendererOf = ([kind, { keys, fields }]: [string, AdministeredResource]) => {
    const compute = computed[kind as 'credentials']
    const described = Object.entries(fields)
    return [
      kind,
      (item: AccessKey) => {
        const links = { self: `${authUrl}/v3/${keys}/${item.id}` }
        const stored = { ...item, ...compute?.(item), links }
        return Object.fromEntries(
          described.map(([name, field]) => [name, valueOf(name, field, stored)]),
        )
      },
    ]
  }
  const renderers = Object.fromEntries(
    Object.entries(administeredResources).map(rendererOf),
  ) as ResourceRenderers

  return {
    ...renderers,
    /** The only response that contains the secret. */
    newCredential: (key: AccessKey, secret: string): NewCredentialDto => ({
      ...renderers.credentials(key),
      blob: blobOf(key, secret),
      access_key: key.id,
      secret,
    }),
    assignment: (grant: GrantRecord, show: AssignmentStyle) => describeGrant(authUrl, grant, show),
  }
}

export type Renderers = ReturnType<typeof createRenderers>

interface AssignmentStyle {
  readonly names: boolean
  /** Show assignments of groups as assignments of their members. */
  readonly effective: boolean
}

function describeGrant(
  authUrl: string,
  grant: GrantRecord,
  { names, effective }: AssignmentStyle,
): RoleAssignmentDto {
  const { role, user, group } = grant
  type Thing = { readonly id: string; readonly name: string }
  const named = ({ id, name }: Thing) => (names ? { id, name } : { id })
  const member = (thing: Thing & { readonly domain: Thing }) => ({
    ...named(thing),
    ...(names && { domain: { id: thing.domain.id, name: thing.domain.name } }),
  })
  const holder = group && !effective ? { group: member(group) } : user ? { user: member(user) } : {}
  const path = group ? `groups/${group.id}` : `users/${user?.id ?? ''}`
  const membership = `${authUrl}/v3/groups/${group?.id}/users/${user?.id}`
  return {
    role: named(role),
    ...holder,
    scope: describeScope(grant, named, member),
    links: {
      assignment: `${authUrl}/v3/${scopePath(grant)}/${path}/roles/${role.id}`,
      ...(group && effective && { membership }),
    },
  }
}

type Member = Extract<GrantRecord['scope'], { kind: 'project' }>['project']
type Named = Pick<Member, 'id' | 'name'>

function describeScope(
  { scope }: GrantRecord,
  named: (thing: Named) => { id: string; name?: string },
  member: (thing: Member) => { id: string; name?: string },
): RoleAssignmentDto['scope'] {
  switch (scope.kind) {
    case 'system':
      return { system: { all: true } }
    case 'domain':
      return { domain: named(scope.domain) }
    case 'project':
      return { project: member(scope.project) }
  }
}

function scopePath({ scope }: GrantRecord): string {
  switch (scope.kind) {
    case 'system':
      return 'system'
    case 'domain':
      return `domains/${scope.domain.id}`
    case 'project':
      return `projects/${scope.project.id}`
  }
}
