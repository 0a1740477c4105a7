import { globSync } from 'node:fs'
import { dirname } from 'node:path'

interface AreaPaths {
  readonly files: readonly string[]
  /** Folders whose tests can see a mistake in these files, besides the tests beside them. */
  readonly tests: readonly string[]
}

const identity = 'server/src/{domain,storage}/identity'
const http = 'server/src/http'

/** The most critical code. A file belongs to the first area that lists it. */
const areas = {
  policy: {
    files: [
      'server/src/domain/identity/{policy,built-in-roles,list-permissions}.ts',
      'server/src/domain/identity/administration/{authority,check-policy,policies,protected-resources}.ts',
      'server/src/storage/registry/policy-flags.ts',
      'contract/src/permission.ts',
    ],
    tests: ['server/src/domain/identity', `${http}/{authorization,administration}`],
  },
  scope: {
    files: [
      'server/src/domain/scope.ts',
      'server/src/domain/identity/{token-scope,choose-scope,authorized-scope}.ts',
      'server/src/domain/identity/providers/find-requested-scope.ts',
      'server/src/domain/inventory/with-read-scope.ts',
    ],
    tests: ['server/src/domain/identity', `${http}/{authorization,tokens,identity-providers}`],
  },
  visibility: {
    files: [
      'server/src/domain/inventory/{server-list/visibility,caller-fields,list-resources,get-server}.ts',
      'server/src/storage/servers/{server-list/index-lookups,load-by-id,owned-by}.ts',
      'server/src/storage/resources/referring-servers.ts',
      'server/src/storage/registry/row-visibility.ts',
    ],
    tests: [
      'server/src/domain/inventory',
      'server/src/storage/{servers,resources,registry}',
      `${http}/{inventory,authorization,administration}`,
    ],
  },
  identity: {
    files: [`${identity}/**/*.ts`],
    tests: [
      identity,
      `${http}/{tokens,access-keys,identity-providers,administration,authorization,audit}`,
    ],
  },
  tasks: {
    files: ['server/src/{domain,storage}/tasks/*.ts'],
    tests: ['server/src/{domain,storage}/tasks', `${http}/tasks`],
  },
  sources: {
    files: [
      'server/src/domain/sources/*.ts',
      'server/src/sources/*/{status,to-server,to-resources,sizes,disks,nics,action-requests,action-refusal,action-fault,action-error}.ts',
    ],
    tests: ['server/src/{domain,storage}/sources', 'server/src/sources', `${http}/cloudaccounts`],
  },
  backup: {
    files: ['server/src/storage/backup/*.ts', 'server/src/admin/{backup,restore}.ts'],
    tests: ['server/src/storage/backup', 'server/src/admin'],
  },
  egress: { files: ['server/src/egress/*.ts'], tests: ['server/src/egress'] },
  gateway: {
    files: ['gateway/src/*.ts', 'gateway/src/console/*.ts'],
    tests: ['gateway/src', `${http}/gateway`],
  },
} as const satisfies Record<string, AreaPaths>

export type Area = keyof typeof areas
export const areaNames = Object.keys(areas) as Area[]

const isSlow = (file: string) => /\.(slow|nightly)\./.test(file)

export interface AreaFiles {
  readonly area: Area
  readonly files: readonly string[]
  readonly tests: readonly string[]
}

export function listAreas(): readonly AreaFiles[] {
  const taken = new Set<string>()
  return areaNames.map((area) => {
    const files = globSync([...areas[area].files])
      .filter((file) => !file.endsWith('.test.ts') && !taken.has(file))
      .sort()
    for (const file of files) taken.add(file)
    const tests = globSync([
      ...areas[area].tests.map((folder) => `${folder}/**/*.test.ts`),
      ...new Set(files.map((file) => `${dirname(file)}/*.test.ts`)),
    ])
    return { area, files, tests: tests.filter((file) => !isSlow(file)) }
  })
}
