import { Type } from 'typebox'
import { example as shared, exampleTimestamp } from '../administration/examples.ts'
import { platformDefaults } from '../operation-defaults.ts'
import type { Operation } from '../operation.ts'
import {
  completeListQuery,
  listBody,
  narrowingScope,
  selected,
} from '../resources/list-operations.ts'
import { exactObject, Id } from '../scalars.ts'
import {
  Check,
  CheckChanges,
  checks,
  CheckViolation,
  checkViolations,
  maxChecksPerOwner,
  NewCheck,
  OperatingSystem,
} from './check.ts'

const common = { ...platformDefaults, tag: 'Checks' } as const

const permission = <const Action extends 'list' | 'get' | 'create' | 'update' | 'delete'>(
  action: Action,
) =>
  ({
    service: 'compute',
    resource: 'checks',
    action,
    at: ['system', 'domain', 'project'],
  }) as const

const newCheckExample = {
  name: 'No backup tag',
  description: 'Set the tag backup to the name of the schedule.',
  severity: 'critical',
  q: 'provider:Aws -tag:backup',
  grace: 3_600,
} as const

const checkExample = {
  id: '6a7b8c9d0e1f2a3b4c5d6e7f80910213',
  ...newCheckExample,
  enabled: true,
  built_in: false,
  project_id: shared.projectId,
  domain_id: shared.domainId,
  violations: 2,
  evaluated_at: exampleTimestamp,
  error: '',
  created_at: exampleTimestamp,
  updated_at: exampleTimestamp,
}

const violationExample = {
  id: '7b8c9d0e1f2a3b4c5d6e7f8091021324',
  subject_kind: 'server',
  subject_id: '5d6e7f80-9102-4a3b-8c4d-5e6f70819203',
  name: 'db-7',
  project_id: shared.projectId,
  domain_id: shared.domainId,
  since: '2026-05-04T03:10:00.000000Z',
  opened_at: '2026-05-04T04:10:00.000000Z',
  until: '2026-05-04T04:55:00.000000Z',
  is_open: false,
}

const shown = (description: string) => ({
  description,
  body: exactObject({ check: Check }),
  example: { check: checkExample },
})

const link = { Link: 'The next page, if there is one: `rel="next"`' }

/** Saved queries that should match nothing. */
export const checkOperations = [
  {
    id: 'listChecks',
    method: 'GET',
    path: '/checks',
    ...common,
    permission: permission('list'),
    summary: 'List checks',
    description:
      'Built-in checks, and those of projects and domains that you can access. `violated_by` lists those that a server or an account violates now, as far as you see its violations.',
    query: exactObject({
      ...completeListQuery(checks, narrowingScope).properties,
      violated_by: Type.Optional({
        ...Id,
        description: 'Id of a server or an account: only checks that it violates now',
      }),
    }),
    responses: {
      200: {
        description: 'A page of checks',
        body: listBody('checks', selected(Check)),
        headers: link,
        example: { checks: [checkExample], limit: 20, offset: 0, total: 1 },
      },
    },
  },
  {
    id: 'getCheck',
    method: 'GET',
    path: '/checks/{id}',
    ...common,
    permission: permission('get'),
    summary: 'Get a check',
    description: 'With the number of open violations that you can access.',
    responses: { 200: shown('The check') },
  },
  {
    id: 'listCheckViolations',
    method: 'GET',
    path: '/checks/{id}/violations',
    ...common,
    permission: permission('list'),
    summary: 'List the violations of a check',
    description:
      'Who violates the check, and who did: each interval with its begin and end. `is_open=true` lists those that last. You see intervals of servers that you can access; a server that moves to another project ends its interval and begins another one. Accounts are visible to those who can list cloud accounts. Servers in the recycle bin are visible to those who may delete servers.',
    query: completeListQuery(checkViolations, narrowingScope),
    responses: {
      200: {
        description: 'A page of violations',
        body: listBody('violations', selected(CheckViolation)),
        headers: link,
        example: { violations: [violationExample], limit: 20, offset: 0, total: 1 },
      },
    },
  },
  {
    id: 'createCheck',
    method: 'POST',
    path: '/checks',
    ...common,
    permission: permission('create'),
    summary: 'Create a check',
    description: `The query is checked as in the list of servers. Names are unique per project, per domain and in the system, each of which can have ${maxChecksPerOwner} checks. Default severity: \`warning\`. The check is evaluated within about a minute.`,
    body: exactObject({ check: NewCheck }),
    example: { check: newCheckExample },
    responses: { 201: shown('Created') },
  },
  {
    id: 'updateCheck',
    method: 'PUT',
    path: '/checks/{id}',
    ...common,
    permission: permission('update'),
    summary: 'Update a check',
    description:
      'Send only the fields to change. Of a built-in check, only `enabled`, `grace` and `severity` can be changed, by system administrators. Violations that are open stay open if the grace time becomes longer. Switching a check off ends its violations at once.',
    body: exactObject({ check: CheckChanges }),
    example: { check: { severity: 'warning' } },
    responses: { 200: shown('Updated') },
  },
  {
    id: 'deleteCheck',
    method: 'DELETE',
    path: '/checks/{id}',
    ...common,
    permission: permission('delete'),
    summary: 'Delete a check',
    description:
      'Deletes its violations, too. Built-in checks cannot be deleted: set `enabled` to false.',
    responses: { 204: { description: 'Deleted' } },
  },
  {
    id: 'getOperatingSystems',
    method: 'GET',
    path: '/operating-systems',
    ...common,
    summary: 'List ends of support',
    description:
      'Until when vendors support versions of operating systems. The built-in check about the end of life uses the same table. With `os_name`, the response has the version that this text names, or nothing if it names none of the table.',
    query: exactObject({
      os_name: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 1024,
          description: '`os_name` of a server, such as `CentOS Linux 7 (Core)`',
        }),
      ),
    }),
    responses: {
      200: {
        description: 'The versions, the first to end first',
        body: exactObject({ operating_systems: Type.Array(OperatingSystem) }),
        example: {
          operating_systems: [
            {
              name: 'CentOS',
              version: '7',
              supported_until: '2024-06-30',
              has_ended: true,
            },
          ],
        },
      },
    },
  },
] as const satisfies readonly Operation[]
