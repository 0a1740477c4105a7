import type { PolicyAction, Level } from '@muster/contract'
import type { PolicyRule } from './records.ts'

interface BuiltInRole {
  readonly name: string
  readonly description: string
  readonly policy: string
  readonly scope: Level
  readonly rules: readonly PolicyRule[]
}

const allow = (service: string, ...actions: (PolicyAction | '*')[]): PolicyRule[] =>
  actions.map((action) => ({ service, resource: '*', action, effect: 'allow' }))

/** The roles that exist after the first start, each with its own policy. */
export const builtInRoles: readonly BuiltInRole[] = [
  {
    name: 'admin',
    description: 'Everything, everywhere',
    policy: 'system_admin',
    scope: 'system',
    rules: allow('*', '*'),
  },
  {
    name: 'auditor',
    description: 'Reads everything, everywhere',
    policy: 'system_auditor',
    scope: 'system',
    rules: allow('*', 'list', 'get'),
  },
  {
    name: 'domain_admin',
    description: 'Everything in a domain',
    policy: 'domain_admin',
    scope: 'domain',
    rules: allow('*', '*'),
  },
  {
    name: 'domain_viewer',
    description: 'Reads everything in a domain',
    policy: 'domain_viewer',
    scope: 'domain',
    rules: allow('*', 'list', 'get'),
  },
  {
    name: 'project_owner',
    description: 'Everything in a project, its people included',
    policy: 'project_owner',
    scope: 'project',
    rules: allow('*', '*'),
  },
  {
    name: 'project_editor',
    description: 'Reads, changes and operates the servers of a project',
    policy: 'project_editor',
    scope: 'project',
    rules: [
      ...allow('compute', 'list', 'get', 'create', 'update', 'perform'),
      { service: 'compute', resource: 'views', action: 'delete', effect: 'allow' },
      ...allow('identity', 'list', 'get'),
    ],
  },
  {
    name: 'project_viewer',
    description: 'Reads the servers of a project',
    policy: 'project_viewer',
    scope: 'project',
    rules: allow('*', 'list', 'get'),
  },
]
