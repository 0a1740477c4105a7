import { eventually } from '../eventually.ts'
import assert from 'node:assert/strict'
import type { CloudAccount, Server } from '@muster/contract'
import type { InventoryKind, InventoryObject } from '../../domain/inventory/kinds.ts'
import { ask } from '../client.ts'
import { spawnMuster, type Lifetime, type Muster } from '../spawn-muster.ts'
import { adminPassword } from '../start-platform.ts'

interface Place {
  readonly folder: string
  readonly databaseUrl?: string
}

/** A Muster process that may connect to sources on this machine. */
export const startOperatedMuster = (
  lifetime: Lifetime,
  { folder, databaseUrl }: Place,
  name = 'data',
) =>
  spawnMuster(lifetime, {
    flags: [
      `--data-dir=${folder}/${name}`,
      `--secret-key-file=${folder}/secret.key`,
      '--source-allow=127.0.0.1',
      '--log-level=debug',
      ...(databaseUrl === undefined ? [] : [`--database-url=${databaseUrl}`]),
    ],
    environment: { MUSTER_ADMIN_PASSWORD: adminPassword },
  })

/** The API calls of an operator. */
export function operate({ authUrl, baseUrl }: Pick<Muster, 'authUrl' | 'baseUrl'>, token: string) {
  async function request<Body>(path: string, method = 'GET', body?: object): Promise<Body> {
    const url = path.startsWith('/v3') ? authUrl : baseUrl
    const answer = await ask(url, path, { method, token, ...(body && { body }) })
    assert.ok(answer.status < 300, `${path}: ${answer.status} ${answer.text}`)
    return answer.body as Body
  }
  const operator = {
    request,
    async attach(settings: object): Promise<string> {
      const { projects } = await request<{ projects: { id: string; name: string }[] }>(
        '/v3/auth/projects',
      )
      const project_id = projects.find(({ name }) => name === 'system')?.id
      const { cloudaccount } = await request<{ cloudaccount: CloudAccount }>(
        '/cloudaccounts',
        'POST',
        { cloudaccount: { name: 'far', project_id, ...settings } },
      )
      return cloudaccount.id
    },
    show: async (id: string) =>
      (await request<{ cloudaccount: CloudAccount }>(`/cloudaccounts/${id}`)).cloudaccount,
    count: async (query = '') =>
      (await request<{ total: number }>(`/servers?scope=max&limit=1&${query}`)).total,
    async servers(): Promise<Server[]> {
      const all: Server[] = []
      for (let offset = 0; ; offset += 1_000) {
        const { servers } = await request<{ servers: Server[] }>(
          `/servers?scope=max&details=true&order_by=name&order=asc&limit=1000&offset=${offset}`,
        )
        all.push(...servers)
        if (servers.length < 1_000) return all
      }
    },
    /** All hosts, networks, regions, zones or managers, by name. */
    async list<Keys extends InventoryKind>(keys: Keys): Promise<InventoryObject<Keys>[]> {
      const body = await request<Record<Keys, InventoryObject<Keys>[]>>(
        `/${keys}?details=true&order_by=name&order=asc&limit=1000`,
      )
      return body[keys]
    },
    finished: (id: string, after = '') =>
      eventually(
        'a complete sync',
        async () => {
          const account = await operator.show(id)
          return (
            (account.sync.finished_at ?? '') > after && account.sync.state === 'idle' && account
          )
        },
        { deadline: 60 },
      ),
  }
  return operator
}
export type Operator = ReturnType<typeof operate>
