import { eventually } from '../eventually.ts'
import assert from 'node:assert/strict'
import type { CloudAccount, EventDto, Server } from '@muster/contract'
import type { DestinationStream } from 'pino'
import type { TaskLimits } from '../../composition/task-limits.ts'
import { newId } from '../../domain/new-id.ts'
import { derivedId } from '../../domain/sources/derived-id.ts'
import { createAdminClient, createContractClient } from '../contract-client.ts'
import type { Engine } from '../engines.ts'
import type { FakeEc2 } from '../fake-ec2.ts'
import type { FakeLibvirt } from '../fake-libvirt.ts'
import { insertToken } from '../identity-world/insert-token.ts'
import { createIdentityWorld } from '../identity-world/create-identity-world.ts'
import type { Lifetime } from '../spawn-muster.ts'
import { startPlatform } from '../start-platform.ts'

/** So long that no scheduled scan runs during a test. */
export const longPeriod = 3_600

interface Options {
  readonly flags?: readonly string[]
  readonly taskLimits?: TaskLimits
  readonly log?: { level: string; destination: DestinationStream }
}

/** A platform whose accounts connect to fake sources. */
export async function startAttached(lifetime: Lifetime, engine: Engine, options: Options = {}) {
  const { flags = ['--source-allow=127.0.0.1'], log, taskLimits } = options
  const platform = await startPlatform({
    engine,
    flags,
    ...(log && { log }),
    ...(taskLimits && { taskLimits }),
  })
  lifetime.after(() => platform.close())
  const { database, url } = platform
  const admin = await createAdminClient(platform)
  const identities = createIdentityWorld(database)
  const projectId = await identities.addProject(`home ${newId()}`)

  const show = async (id: string) =>
    (await admin.get<{ cloudaccount: CloudAccount }>('getCloudAccount', { path: { id } }))
      .cloudaccount

  const attached = {
    platform,
    database,
    url,
    admin,
    identities,
    /** The default project of servers. */
    projectId,
    show,

    async attach(settings: object): Promise<CloudAccount> {
      const cloudaccount = {
        name: `account ${newId()}`,
        project_id: projectId,
        period: longPeriod,
        ...settings,
      }
      const answer = await admin.call<{ cloudaccount: CloudAccount }>('createCloudAccount', {
        body: { cloudaccount },
      })
      assert.equal(answer.status, 201, answer.text)
      return answer.body.cloudaccount
    },

    /** In a group of its own, so that the same UUID elsewhere is another server; and synced once. */
    async attachLibvirt({ address }: FakeLibvirt, changes: object = {}) {
      const { id } = await attached.attach({
        provider: 'OneCloud',
        address,
        options: { group: newId() },
        ...changes,
      })
      return await attached.synced(id)
    },

    async attachEc2({ settings }: FakeEc2, changes: object = {}): Promise<CloudAccount> {
      const { id } = await attached.attach({ provider: 'Aws', ...settings, ...changes })
      return await attached.synced(id)
    },

    /** The account, after a sync that ended later than this. */
    synced: (id: string, after = ''): Promise<CloudAccount> =>
      eventually(`${id} is synced`, async () => {
        const account = await show(id)
        const { state, finished_at } = account.sync
        return state === 'idle' && (finished_at ?? '') > after && account
      }),

    /** Requests a sync and waits for its end. */
    async sync(id: string): Promise<CloudAccount> {
      const { sync } = await show(id)
      await admin.get('syncCloudAccount', { path: { id } })
      return await attached.synced(id, sync.finished_at ?? '')
    },

    async update(id: string, cloudaccount: object): Promise<CloudAccount> {
      const body = { cloudaccount }
      const answer = await admin.call<{ cloudaccount: CloudAccount }>('updateCloudAccount', {
        path: { id },
        body,
      })
      assert.equal(answer.status, 200, answer.text)
      return answer.body.cloudaccount
    },

    /** Its servers as they are listed now, in the order of their names. */
    async servers({ id }: Pick<CloudAccount, 'id'>, query = ''): Promise<readonly Server[]> {
      const { servers } = await admin.get<{ servers: Server[] }>('listServers', {
        query: `scope=system&details=true&with_meta=true&limit=2048&order_by=name&order=asc&account_id=${id}&${query}`,
      })
      return servers
    },

    /** One server, or undefined where there is none. */
    async server(id: string): Promise<Server | undefined> {
      const { status, body } = await admin.call<{ server: Server }>('getServer', { path: { id } })
      return status === 200 ? body.server : undefined
    },

    async history(id: string, query = ''): Promise<readonly EventDto[]> {
      const details = { path: { id }, query }
      return (await admin.get<{ events: EventDto[] }>('getServerHistory', details)).events
    },

    /** A user with one role in one project. */
    async addCaller(role: string, place = projectId) {
      const userId = await identities.addUser({ name: `${role} ${newId()}` })
      await identities.assign({ role, userId, projectId: place })
      const token = await insertToken(database, { userId, scope: { kind: 'project', id: place } })
      return { userId, token, ...createContractClient(url, token) }
    },
  }
  return attached
}
export type Attached = Awaited<ReturnType<typeof startAttached>>

/** The id of the server of a libvirt domain. */
export const domainServerId = ({ options }: CloudAccount, uuid: string): string =>
  derivedId('server', 'libvirt', String(options['group']), uuid)
