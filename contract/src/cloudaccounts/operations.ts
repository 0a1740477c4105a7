import { Type } from 'typebox'
import { clientParameters, shortListParameters } from '../paging.ts'
import { platformDefaults } from '../operation-defaults.ts'
import type { Operation } from '../operation.ts'
import { exactObject, Id, Name } from '../scalars.ts'
import {
  AccountTest,
  AccountToTest,
  accountStatuses,
  CloudAccount,
  CloudAccountChanges,
  CloudProvider,
  MappingPreview,
  MappingPreviewRequest,
  NewCloudAccount,
} from './account.ts'
import {
  accountExample,
  newAccountExample,
  previewExample,
  providerExample,
  testExample,
} from './examples.ts'

const common = { ...platformDefaults, tag: 'Cloud accounts' } as const

/** Whoever attaches an account decides where Muster reaches out to: that is the system's to decide. */
const permission = <
  const Action extends 'list' | 'get' | 'create' | 'update' | 'delete' | 'perform',
>(
  action: Action,
) => ({ service: 'compute', resource: 'cloudaccounts', action, at: ['system'] }) as const

const body = exactObject({ cloudaccount: CloudAccount })
const example = { cloudaccount: accountExample }
const shown = (description: string) => ({ description, body, example })
const tested = {
  200: {
    description: 'How it went',
    body: exactObject({ test: AccountTest }),
    example: { test: testExample },
  },
}

const flag = (description: string) => Type.Optional(Type.Boolean({ description }))
const whole = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: 999_999_999, description }))

/** The accounts that servers come from. */
export const cloudAccountOperations = [
  {
    id: 'listCloudAccounts',
    method: 'GET',
    path: '/cloudaccounts',
    ...common,
    permission: permission('list'),
    summary: 'List cloud accounts',
    description: 'Where servers come from, and how it goes with each. Newest first.',
    query: exactObject({
      name: Type.Optional(Name),
      provider: Type.Optional(Name),
      status: Type.Optional(Type.Enum([...accountStatuses])),
      enabled: flag('Only those that are, or only those that are not'),
      project_id: Type.Optional(Id),
      search: Type.Optional(
        Type.String({ minLength: 1, maxLength: 255, description: 'In name, provider and address' }),
      ),
      order_by: Type.Optional(
        Type.Enum(['created_at', 'name', 'provider', 'status', 'servers', 'period']),
      ),
      order: Type.Optional(Type.Enum(['asc', 'desc'])),
      limit: whole('20 unless you say, 2048 at the most'),
      offset: whole('So many are left out first'),
      ...clientParameters,
    }),
    responses: {
      200: {
        description: 'A page of accounts',
        body: exactObject({
          cloudaccounts: Type.Array(CloudAccount),
          limit: Type.Integer(),
          offset: Type.Integer(),
          total: Type.Integer(),
        }),
        headers: { Link: 'The next page, where there is one: `rel="next"`' },
        example: { cloudaccounts: [accountExample], limit: 20, offset: 0, total: 1 },
      },
    },
  },
  {
    id: 'listCloudProviders',
    method: 'GET',
    path: '/cloudaccounts/providers',
    ...common,
    permission: permission('list'),
    summary: 'List the kinds of sources',
    description: 'What can be attached, and what an account of each kind needs.',
    query: exactObject(shortListParameters),
    responses: {
      200: {
        description: 'All of them',
        body: exactObject({ providers: Type.Array(CloudProvider) }),
        example: { providers: [providerExample] },
      },
    },
  },
  {
    id: 'getCloudAccount',
    method: 'GET',
    path: '/cloudaccounts/{id}',
    ...common,
    permission: permission('get'),
    summary: 'Show a cloud account',
    description:
      'With how its last sync went, and how far the present one is. By its id, or by its name. Credentials are never shown.',
    responses: { 200: shown('The account') },
  },
  {
    id: 'createCloudAccount',
    method: 'POST',
    path: '/cloudaccounts',
    ...common,
    permission: permission('create'),
    summary: 'Attach a cloud account',
    description:
      'Its first sync starts at once. Nothing is asked of the source before it is kept: try it with `POST /cloudaccounts/test` first. An address on this machine, on its link or of a metadata service is refused unless `--source-allow` names it.',
    body: exactObject({ cloudaccount: NewCloudAccount }),
    example: { cloudaccount: newAccountExample },
    responses: { 201: shown('Attached') },
  },
  {
    id: 'testNewCloudAccount',
    method: 'POST',
    path: '/cloudaccounts/test',
    ...common,
    permission: permission('create'),
    summary: 'Try a cloud account before attaching it',
    description: 'Logs in and counts what it sees. Nothing is kept.',
    body: exactObject({ cloudaccount: AccountToTest }),
    example: {
      cloudaccount: {
        provider: newAccountExample.provider,
        credentials: newAccountExample.credentials,
        options: newAccountExample.options,
      },
    },
    responses: tested,
  },
  {
    id: 'updateCloudAccount',
    method: 'PUT',
    path: '/cloudaccounts/{id}',
    ...common,
    permission: permission('update'),
    summary: 'Change a cloud account',
    description:
      'Name only what changes. Credentials and options are replaced whole; whoever changes the address gives the credentials again, so that they go nowhere else by themselves. A change of the mapping moves servers at once.',
    body: exactObject({ cloudaccount: CloudAccountChanges }),
    example: { cloudaccount: { mapping: newAccountExample.mapping } },
    responses: { 200: shown('As it is now') },
  },
  {
    id: 'deleteCloudAccount',
    method: 'DELETE',
    path: '/cloudaccounts/{id}',
    ...common,
    permission: permission('delete'),
    summary: 'Detach a cloud account',
    description:
      'Its servers go with it, but for those that another account sees too. Where it has any, that is a 409 that says how many, unless you say `evict=true`. Nothing happens in the source.',
    query: exactObject({ evict: flag('Its servers may go') }),
    responses: { 204: { description: 'Detached' } },
  },
  {
    id: 'syncCloudAccount',
    method: 'POST',
    path: '/cloudaccounts/{id}/sync',
    ...common,
    permission: permission('perform'),
    summary: 'Sync a cloud account now',
    description: 'Starts a complete sync; how far it is the account itself tells.',
    responses: { 202: shown('It is going to start, or is under way') },
  },
  {
    id: 'confirmGoneServers',
    method: 'POST',
    path: '/cloudaccounts/{id}/confirm-gone',
    ...common,
    permission: permission('perform'),
    summary: 'Confirm that missing servers are gone',
    description:
      'Removes the servers that the warning `missing` is about now, instead of waiting until they have been missing for long enough. A server that another account sees stays. 409 where no servers are missing.',
    responses: { 202: shown('They are being removed') },
  },
  {
    id: 'testCloudAccount',
    method: 'POST',
    path: '/cloudaccounts/{id}/test',
    ...common,
    permission: permission('perform'),
    summary: 'Test a cloud account',
    description: 'Logs in with what is kept and counts what it sees. Nothing is changed.',
    responses: tested,
  },
  {
    id: 'previewCloudAccountMapping',
    method: 'POST',
    path: '/cloudaccounts/{id}/mapping/preview',
    ...common,
    permission: permission('get'),
    summary: 'See which servers a mapping would move',
    description: 'Of the servers as they are known now. Nothing is changed.',
    body: MappingPreviewRequest,
    example: { mapping: newAccountExample.mapping },
    responses: {
      200: {
        description: 'What would be',
        body: exactObject({ preview: MappingPreview }),
        example: { preview: previewExample },
      },
    },
  },
] as const satisfies readonly Operation[]
