import { Type } from 'typebox'
import { defaultPageSize } from '../paging.ts'
import { platformDefaults } from '../operation-defaults.ts'
import type { Operation } from '../operation.ts'
import { Claim, ClaimRequest } from './claim.ts'
import { AccountGapList, AccountGapsQuery, gapExample } from './gaps.ts'
import { AccountSyncRunList, storedSyncs, syncRunExample } from './sync-runs.ts'
import {
  completeListQuery,
  listBody,
  narrowingScope,
  selected,
  wholeListLimit,
} from '../resources/list-operations.ts'
import { exactObject } from '../scalars.ts'
import {
  AccountTest,
  AccountToTest,
  CloudAccount,
  cloudAccounts,
  CloudAccountChanges,
  CloudProvider,
  MappingPreview,
  MappingPreviewRequest,
  NewCloudAccount,
  sourceProviders,
} from './account.ts'
import {
  accountExample,
  newAccountExample,
  previewExample,
  providerExample,
  testExample,
  claimExample,
} from './examples.ts'

const common = { ...platformDefaults, tag: 'Cloud accounts' } as const

/** System only: an account decides which addresses Muster connects to. */
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
    description: 'Result of the test',
    body: exactObject({ test: AccountTest }),
    example: { test: testExample },
  },
}

const optionalBoolean = (description: string) => Type.Optional(Type.Boolean({ description }))

const setEnabled = <const Verb extends 'enable' | 'disable'>(verb: Verb, description: string) =>
  ({
    id: `${verb}CloudAccount` as const,
    method: 'POST',
    path: `/cloudaccounts/{id}/${verb}` as const,
    ...common,
    permission: permission('update'),
    summary: `${verb === 'enable' ? 'Enable' : 'Disable'} a cloud account`,
    description: `${description} For Cloudpods' client: the same as \`PUT\` with \`enabled\`. By id or name.`,
    responses: { 200: shown('Updated') },
  }) as const

/** The accounts that Muster imports servers from. */
export const cloudAccountOperations = [
  {
    id: 'listCloudAccounts',
    method: 'GET',
    path: '/cloudaccounts',
    ...common,
    permission: permission('list'),
    summary: 'List cloud accounts',
    description:
      'The accounts that Muster imports servers from, with the state of their last sync. Newest first.',
    query: completeListQuery(cloudAccounts, narrowingScope),
    responses: {
      200: {
        description: 'A page of cloud accounts',
        body: listBody('cloudaccounts', selected(CloudAccount)),
        headers: { Link: 'The next page, if there is one: `rel="next"`' },
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
    summary: 'List cloud providers',
    description:
      'The kinds of sources that you can attach, with the credentials and options of each.',
    query: exactObject({
      ...completeListQuery(sourceProviders, narrowingScope).properties,
      limit: wholeListLimit,
    }),
    responses: {
      200: {
        description: 'Cloud providers',
        body: listBody('providers', selected(CloudProvider)),
        example: { providers: [providerExample], limit: 1, offset: 0, total: 1 },
      },
    },
  },
  {
    id: 'getCloudAccount',
    method: 'GET',
    path: '/cloudaccounts/{id}',
    ...common,
    permission: permission('get'),
    summary: 'Get a cloud account',
    description:
      'By id or name. Includes the result of the last sync and the progress of a running one. Credentials are never returned.',
    responses: { 200: shown('The cloud account') },
  },
  {
    id: 'getCloudAccountGaps',
    method: 'GET',
    path: '/cloudaccounts/{id}/gaps',
    ...common,
    permission: permission('get'),
    summary: 'List when a cloud account was not observed',
    description:
      'By id or name. A gap is a time without a complete sync that is longer than the period of the account, whatever the reason: the source failed, the account was disabled, or Muster was down. What happened in it is known only by its result. Gaps are listed newest first, and deleted with `--history-retention`.',
    query: AccountGapsQuery,
    responses: {
      200: {
        description: 'Gaps of the account',
        body: AccountGapList,
        headers: { Link: 'The next page, if there is one' },
        example: { gaps: [gapExample], limit: defaultPageSize },
      },
    },
  },
  {
    id: 'getCloudAccountSyncs',
    method: 'GET',
    path: '/cloudaccounts/{id}/syncs',
    ...common,
    permission: permission('get'),
    summary: 'List the last syncs of a cloud account',
    description: `By id or name. The last ${storedSyncs} syncs that ended, newest first. Older ones are not stored; what they changed is in \`GET /servers/changes\`.`,
    responses: {
      200: {
        description: 'The last syncs of the account',
        body: AccountSyncRunList,
        example: { syncs: [syncRunExample] },
      },
    },
  },
  {
    id: 'createCloudAccount',
    method: 'POST',
    path: '/cloudaccounts',
    ...common,
    permission: permission('create'),
    summary: 'Attach a cloud account',
    description:
      'The first sync starts immediately. The credentials are not checked: test them with `POST /cloudaccounts/test` first. Loopback, link-local and metadata-service addresses are rejected unless `--source-allow` lists them.',
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
    summary: 'Test a cloud account before attaching it',
    description: 'Logs in and counts the servers. Stores nothing.',
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
    summary: 'Update a cloud account',
    description:
      'Send only the fields to change. `credentials` and `options` are replaced as a whole. If you change `address`, send `credentials` again, so that stored credentials are never sent to another address. A new `mapping` moves servers immediately.',
    body: exactObject({ cloudaccount: CloudAccountChanges }),
    example: { cloudaccount: { mapping: newAccountExample.mapping } },
    responses: { 200: shown('Updated') },
  },
  setEnabled('enable', 'Muster syncs the account again.'),
  setEnabled('disable', 'Muster no longer syncs the account. Its servers remain.'),
  {
    id: 'deleteCloudAccount',
    method: 'DELETE',
    path: '/cloudaccounts/{id}',
    ...common,
    permission: permission('delete'),
    summary: 'Detach a cloud account',
    description:
      'Removes the account and its servers from Muster. Servers that another account also sees remain. If the account has servers, you need `evict=true`; otherwise 409 with their number. Nothing changes in the source.',
    query: exactObject({
      evict: optionalBoolean('Confirm that the servers of the account are removed'),
    }),
    responses: { 204: { description: 'Detached' } },
  },
  {
    id: 'syncCloudAccount',
    method: 'POST',
    path: '/cloudaccounts/{id}/sync',
    ...common,
    permission: permission('perform'),
    summary: 'Sync a cloud account now',
    description: 'Starts a complete sync. The account shows its progress.',
    responses: { 202: shown('The sync is scheduled or running') },
  },
  {
    id: 'confirmGoneServers',
    method: 'POST',
    path: '/cloudaccounts/{id}/confirm-gone',
    ...common,
    permission: permission('perform'),
    summary: 'Confirm that missing servers are gone',
    description:
      'Removes the servers of the warning `missing` now instead of after the hold time. Servers that another account also sees remain. 409 if no servers are missing.',
    responses: { 202: shown('The servers are being removed') },
  },
  {
    id: 'claimServers',
    method: 'POST',
    path: '/cloudaccounts/{id}/claim',
    ...common,
    permission: permission('update'),
    summary: 'Claim servers for an account',
    description:
      'Gives servers that this account reports to it, although another account holds them. Name exactly one of `ids` and `q`. Send a dry run first: the claim must carry its `matched`. Nothing changes in the source.',
    body: exactObject({ claim: ClaimRequest }),
    example: { claim: { q: 'account:old', dry_run: true } },
    responses: {
      200: {
        description: 'The outcome for each server',
        body: exactObject({ claim: Claim }),
        example: { claim: claimExample },
      },
    },
  },
  {
    id: 'testCloudAccount',
    method: 'POST',
    path: '/cloudaccounts/{id}/test',
    ...common,
    permission: permission('perform'),
    summary: 'Test a cloud account',
    description: 'Logs in with the stored credentials and counts the servers. Changes nothing.',
    responses: tested,
  },
  {
    id: 'previewCloudAccountMapping',
    method: 'POST',
    path: '/cloudaccounts/{id}/mapping/preview',
    ...common,
    permission: permission('get'),
    summary: 'Preview a mapping',
    description: 'Shows which of the known servers would change their project. Changes nothing.',
    body: MappingPreviewRequest,
    example: { mapping: newAccountExample.mapping },
    responses: {
      200: {
        description: 'The preview',
        body: exactObject({ preview: MappingPreview }),
        example: { preview: previewExample },
      },
    },
  },
] as const satisfies readonly Operation[]
