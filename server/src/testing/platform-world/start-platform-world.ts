import { join } from 'node:path'
import { hash } from '@node-rs/argon2'
import { operations, type Operation, type OperationId } from '@muster/contract'
import { createCatalog } from '../../domain/identity/catalog.ts'
import { newId } from '../../domain/new-id.ts'
import type { TokenScope } from '../../domain/identity/records.ts'
import { ask, requestToken, secretOf, type ClientResponse } from '../client.ts'
import { ownPassword, requests } from './persona-requests.ts'
import type { Parts } from './request-kinds.ts'
import { loadSecretKey } from '../../vault/secret-key.ts'
import { createResourceFactory, type Place, type Resources } from './persona-resources.ts'
import { insertToken } from '../identity-world/insert-token.ts'
import { createIdentityWorld } from '../identity-world/create-identity-world.ts'
import type { Engine } from '../engines.ts'
import { startPlatform, type TestPlatform } from '../start-platform.ts'
import { createSnapshots, type TakeSnapshot } from './snapshots.ts'
import { testPasswordCost } from '../password-cost.ts'

/** The callers, from no token to full permissions, in the order of the persona table. */
export const personaNames = [
  'none',
  'expired',
  'revoked',
  'unscoped',
  'stranger',
  'viewer',
  'editor',
  'owner',
  'domainViewer',
  'domainAdmin',
  'auditor',
  'admin',
  'adminByKey',
] as const
export type PersonaName = (typeof personaNames)[number]

/** Where a resource is: in the personas' own project, in another project of their domain, or in another domain. */
export type Side = 'home' | 'otherProject' | 'otherDomain'

export interface Persona {
  readonly name: PersonaName
  readonly token: string | undefined
  readonly userId: string
  readonly userName: string
  readonly place: Place
}

/** What a request needs besides its operation. */
export interface PersonaCall {
  readonly resources: Resources
  readonly token: string | undefined
  /** The call will succeed: use a resource that no other call needs. */
  readonly isDone?: boolean
  readonly method?: string
  /** Changes the request before it is sent. */
  readonly edit?: (parts: Parts) => Parts
}

interface Life {
  readonly at: Place
  readonly scope: TokenScope['kind']
  readonly holds: readonly { role: string; projectId?: string; domainId?: string }[]
}

interface NewCredential {
  readonly credential: { readonly id: string; readonly blob: string }
}

/** The secret of an access key, from the response that created it. */
export const readSecret = ({ credential }: NewCredential): string =>
  (JSON.parse(credential.blob) as { secret: string }).secret

export const operationOf = (id: OperationId): Operation =>
  operations.find((operation) => operation.id === id) as Operation

/** An organisation of two domains, with a user for each kind of permissions. */
async function createPlatformWorld(platform: TestPlatform) {
  const { url, database, inventory, authUrl, baseUrl } = platform
  const { db } = database
  const identities = createIdentityWorld(database)
  const roles = await db.selectFrom('roles').select(['id', 'name']).execute()
  const known = await db.selectFrom('users').select('password_hash').execute()
  // With the lowest cost of argon2. Tests search for the hash in responses, and change it once.
  const passwordHash = await hash(ownPassword, testPasswordCost)
  /** Texts that no response may contain. */
  const secrets = new Set([passwordHash, ...known.flatMap((row) => row.password_hash ?? [])])
  const { addResources, addThingsFor, removeThings } = createResourceFactory({
    database,
    inventory,
    secretBox: loadSecretKey(join(platform.folder, 'secret.key')),
    roleIds: new Map(roles.map(({ name, id }) => [name, id])),
    catalog: createCatalog({ authUrl, baseUrl, region: 'region0' }),
    passwordHash,
    secrets,
  })

  async function addPlace(domain: string, project: string, inDomain?: string): Promise<Place> {
    const domainName = inDomain === undefined ? `${domain} ${newId()}` : domain
    const projectName = `${project} ${newId()}`
    const domainId = inDomain ?? (await identities.addDomain(domainName))
    const projectId = await identities.addProject(projectName, domainId)
    return { domainId, domainName, projectId, projectName }
  }
  const home = await addPlace('home', 'work')
  const beside = await addPlace(home.domainName, 'beside', home.domainId)
  const other = await addPlace('other', 'abroad')
  const office = await addPlace('Default', 'office', 'default')
  const places: Readonly<Record<Side, Place>> = {
    home,
    otherProject: beside,
    otherDomain: other,
  }

  const inProject = (role: string, { projectId }: Place) => ({ role, projectId })
  const inDomain = (role: string, { domainId }: Place) => ({ role, domainId })
  const onSystem = (role: string) => ({ role })
  const inOffice = inProject('project_viewer', office)
  const ruler: Life = { at: office, scope: 'project', holds: [onSystem('admin'), inOffice] }

  /** Some have more roles elsewhere than in the scope of their token. Those must not apply. */
  const lives: Readonly<Record<PersonaName, Life>> = {
    none: { at: office, scope: 'none', holds: [] },
    expired: ruler,
    revoked: ruler,
    unscoped: {
      at: home,
      scope: 'none',
      holds: [
        onSystem('admin'),
        inDomain('domain_admin', home),
        inProject('project_owner', home),
        inProject('project_owner', other),
      ],
    },
    stranger: { at: other, scope: 'project', holds: [inProject('project_owner', other)] },
    viewer: {
      at: home,
      scope: 'project',
      holds: [
        inProject('project_viewer', home),
        inProject('project_owner', beside),
        inDomain('domain_admin', home),
      ],
    },
    editor: { at: home, scope: 'project', holds: [inProject('project_editor', home)] },
    owner: { at: home, scope: 'project', holds: [inProject('project_owner', home)] },
    domainViewer: {
      at: home,
      scope: 'domain',
      holds: [inDomain('domain_viewer', home), inProject('project_owner', home), onSystem('admin')],
    },
    domainAdmin: {
      at: home,
      scope: 'domain',
      holds: [inDomain('domain_admin', home), inProject('project_viewer', home)],
    },
    auditor: { at: office, scope: 'project', holds: [onSystem('auditor'), inOffice] },
    admin: ruler,
    adminByKey: ruler,
  }

  const scopeOf = ({ scope, at }: Life): TokenScope => {
    if (scope === 'none') return { kind: scope }
    return { kind: scope, id: scope === 'project' ? at.projectId : at.domainId }
  }

  /** Another user of this persona, with the same permissions and no shared resources. */
  async function addPersona(name: PersonaName): Promise<Persona> {
    const life = lives[name]
    const userName = `${name} ${newId()}`
    const userId = await identities.addUser({
      name: userName,
      domainId: life.at.domainId,
      passwordHash,
    })
    for (const holding of life.holds) await identities.assign({ userId, ...holding })
    const expiresAt = Date.now() + (name === 'expired' ? -1_000 : 3_600_000)
    const secret = await insertToken(database, { userId, scope: scopeOf(life), expiresAt })
    const token = await finish(name, secret, life)
    return { name, token, userId, userName, place: life.at }
  }

  /** How an inserted token becomes the token of the persona. */
  async function finish(name: PersonaName, secret: string, { at }: Life) {
    if (name === 'none') return undefined
    if (name === 'revoked') {
      const headers = { 'x-subject-token': secret }
      await ask(url, '/v3/auth/tokens', { method: 'DELETE', token: secret, headers })
    }
    return name === 'adminByKey' ? await exchange(secret, at.projectId) : secret
  }

  /** A token from a real login with an access key. */
  async function exchange(token: string, project_id: string): Promise<string> {
    const { body } = await ask<NewCredential>(url, '/v3/credentials', {
      method: 'POST',
      token,
      body: { credential: { type: 'aksk', project_id } },
    })
    const secret = readSecret(body)
    secrets.add(secret)
    const access_key_secret = `${body.credential.id}:${secret}`
    return secretOf(await requestToken(url, { identity: { methods: ['aksk'], access_key_secret } }))
  }

  const personas = new Map<PersonaName, Persona>()
  for (const name of personaNames) personas.set(name, await addPersona(name))

  /** A secret that was shown at creation must not appear in any other response. */
  function requireNoSecret(id: OperationId, { text, headers, status, body }: ClientResponse): void {
    const { method, path } = operationOf(id)
    const whole = [text, ...headers.values()].join('\n')
    for (const secret of secrets) {
      if (whole.includes(secret)) {
        throw new Error(`SEC-36: the answer to ${method} ${path} holds a secret`)
      }
    }
    if (id === 'createCredential' && status === 201) secrets.add(readSecret(body as NewCredential))
  }

  return {
    /** Stored secrets that must not be shown. The list grows with every new access key. */
    secrets: secrets as ReadonlySet<string>,
    addResources: (side: Side) => addResources(places[side]),
    /** The persona's own resources. */
    addThingsFor: ({ userId, userName, place }: Persona) =>
      addThingsFor({ id: userId, name: userName }, place),
    removeThings,
    addPersona,
    personas: personaNames.map((name) => personas.get(name) as Persona),
    persona: (name: PersonaName) => personas.get(name) as Persona,

    async call(id: OperationId, errand: PersonaCall): Promise<ClientResponse> {
      const { resources, token, isDone = false, method, edit = (parts) => parts } = errand
      const operation = operationOf(id)
      const parts = edit(requests[id].parts({ resources, token, isDone }))
      const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(parts.path?.[name] ?? ''),
      )
      const query = new URLSearchParams(parts.query).toString()
      const answer = await ask<unknown>(url, path + (query === '' ? '' : `?${query}`), {
        method: method ?? operation.method,
        ...(token !== undefined && { token }),
        ...(parts.headers && { headers: parts.headers }),
        ...(parts.body !== undefined && { body: parts.body }),
      })
      requireNoSecret(id, answer)
      return answer
    },
  }
}
export type PlatformWorld = Awaited<ReturnType<typeof createPlatformWorld>>

export interface RunningPlatformWorld {
  readonly platform: TestPlatform
  readonly organisation: PlatformWorld
  readonly takeSnapshot: TakeSnapshot
}

/** A platform with the organisation. Failed logins are not limited, because there are many. */
export async function startPlatformWorld(
  engine: Engine,
  options: Pick<NonNullable<Parameters<typeof startPlatform>[0]>, 'beside' | 'flags'> = {},
): Promise<RunningPlatformWorld> {
  const { flags = [], ...rest } = options
  const platform = await startPlatform({
    ...rest,
    engine,
    flags: ['--login-failures-per-minute=0', ...flags],
  })
  const organisation = await createPlatformWorld(platform)
  return { platform, organisation, takeSnapshot: await createSnapshots(platform.database) }
}
