import { at, change, finish, list, name, read } from './request-kinds.ts'

/** An address where nothing listens, so that tests of settings change nothing. */
const silentSource = { provider: 'OneCloud', address: 'qemu+unix:///system?socket=/nowhere' }

/** Requests of cloud accounts. */
export const accountRequests = {
  listCloudAccounts: list(
    ({ accountName }) => ({ query: { name: accountName } }),
    ({ accountId }) => accountId,
  ),
  listCloudProviders: read(),
  getCloudAccount: read(({ accountId }) => at(accountId)),
  getCloudAccountGaps: read(({ accountId }) => at(accountId)),
  getCloudAccountSyncs: read(({ accountId }) => at(accountId)),
  createCloudAccount: change(['cloudaccounts', 'events'], ({ projectId }) => ({
    body: { cloudaccount: { name: name(), ...silentSource, project_id: projectId } },
  })),
  testNewCloudAccount: change(['events'], () => ({ body: { cloudaccount: silentSource } })),
  updateCloudAccount: change(['cloudaccounts', 'events'], ({ accountId }) => ({
    ...at(accountId),
    body: { cloudaccount: { name: name() } },
  })),
  deleteCloudAccount: finish(
    ['cloudaccounts', 'change_commits', 'fleet_version', 'events'],
    ({ accountId }) => at(accountId),
  ),
  syncCloudAccount: change(['events'], ({ accountId }) => at(accountId)),
  confirmGoneServers: change(['events'], ({ accountId }) => at(accountId)),
  claimServers: read(({ accountId, serverId }) => ({
    ...at(accountId),
    body: { claim: { ids: [serverId], dry_run: true } },
  })),
  testCloudAccount: change(['events'], ({ accountId }) => at(accountId)),
  previewCloudAccountMapping: read(({ accountId, projectId }) => ({
    ...at(accountId),
    body: { mapping: [{ name: 'web-*', project_id: projectId }] },
  })),
}
