import type { Server } from '@muster/contract'
import type { ServerFacts } from '../../server/src/domain/inventory/server-facts.ts'
import { specifiedNic } from '../../server/src/testing/inventory-world/specified-fields.ts'
import type { TestConsole } from './start-console.ts'

const nic = (ip_addr: string) => {
  const others = Object.fromEntries(specifiedNic.string.map((name) => [name, '']))
  return { ...others, ip_addr, is_exit: false } as unknown as Server['nics'][number]
}

function describeServer(project_id: string, prefix: string, number: number): ServerFacts {
  const isAws = number % 3 !== 0
  const at = String(number).padStart(2, '0')
  return {
    id: `00000000-0000-4000-8000-${prefix === 'web' ? '0000000001' : '0000000002'}${at}`,
    name: `${prefix}-${at}`,
    status: number % 4 === 0 ? 'ready' : 'running',
    project_id,
    provider: isAws ? 'Aws' : 'OneCloud',
    account_id: isAws ? 'account-aws' : 'account-kvm',
    account: isAws ? 'aws-main' : 'kvm-rack',
    region: isAws ? 'eu-central-1' : 'rack-2',
    created_at: `2026-05-${at}T08:00:00.000000Z`,
    vcpu_count: number % 2 === 0 ? 8 : 2,
    vmem_size: 4096,
    os_type: number % 5 === 0 ? 'Windows' : 'Linux',
    os_name: number % 5 === 0 ? 'Windows Server 2022' : 'CentOS 7.9',
    nics: [nic(`10.4.${prefix === 'web' ? 1 : 2}.${number}`)],
    tags: { env: number % 2 === 0 ? 'prod' : 'test' },
  }
}

/** The number of servers per project. */
export const sizes = { web: 24, db: 6 } as const

/** Two projects with servers, an owner of both and a viewer of one. */
export async function createSmallFleet(testConsole: TestConsole) {
  const { platform, identities } = testConsole
  const web = await identities.addProject('web')
  const db = await identities.addProject('db')
  const owner = await testConsole.addUser('olga', 'project_owner', { projectId: web }, web)
  await identities.assign({ role: 'project_owner', userId: owner.userId, projectId: db })
  const viewer = await testConsole.addUser('victor', 'project_viewer', { projectId: web })
  const present = [
    ...Array.from({ length: sizes.web }, (_, at) => describeServer(web, 'web', at + 1)),
    ...Array.from({ length: sizes.db }, (_, at) => describeServer(db, 'db', at + 1)),
  ]
  await platform.inventory.recordServers({ present, gone: [] })
  return { web, db, owner, viewer, servers: present }
}
export type SmallFleet = Awaited<ReturnType<typeof createSmallFleet>>
