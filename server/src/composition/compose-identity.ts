import { createBoundedQueue } from '../domain/bounded-queue.ts'
import { createRecordDenial } from '../domain/audit/record-denial.ts'
import { createAdministration } from '../domain/identity/administration/administration.ts'
import { createAuthenticateAccessKey } from '../domain/identity/authenticate-access-key.ts'
import { createCatalog } from '../domain/identity/catalog.ts'
import { createBrowserLogins } from '../domain/identity/providers/browser-logins.ts'
import { createGetDeviceLogins } from '../domain/identity/providers/device-logins.ts'
import { createDecryptOptions } from '../domain/identity/providers/decrypt-options.ts'
import { createProviderLogouts } from '../domain/identity/providers/provider-logouts.ts'
import { createFindProvider } from '../domain/identity/providers/find-provider.ts'
import { createFindPasswordProvider } from '../domain/identity/providers/password-providers.ts'
import { createProvisionUser } from '../domain/identity/providers/provision-user.ts'
import { createPeopleSync } from '../domain/identity/providers/sync-people.ts'
import { createCheckPassword } from '../domain/identity/check-password.ts'
import { createCheckPasscode } from '../domain/identity/factors/check-passcode.ts'
import { createRequireCode } from '../domain/identity/factors/require-code.ts'
import { createDescribeToken } from '../domain/identity/describe-token.ts'
import { createInspectToken } from '../domain/identity/inspect-token.ts'
import { createRevokeToken } from '../domain/identity/revoke-token.ts'
import { createLoginLimit } from '../domain/identity/login-limit.ts'
import { createIssueToken } from '../domain/identity/issue-token.ts'
import { createAccessKeyMethod } from '../domain/identity/methods/access-key.ts'
import { createDrivers } from '../domain/identity/providers/drivers.ts'
import { createProviderMethod } from '../domain/identity/providers/provider-method.ts'
import { createPasswordMethod } from '../domain/identity/methods/password.ts'
import { createTokenMethod } from '../domain/identity/methods/token.ts'
import type { IdentityVersion, PasswordHasher } from '../domain/identity/ports.ts'
import type { CacheMemory } from '../domain/cache.ts'
import type { Clock } from '../domain/clock.ts'
import { createFindUserStatus } from '../domain/identity/user-status.ts'
import { createReauthorizeCaller } from '../domain/identity/reauthorize-caller.ts'
import { createVerifyToken } from '../domain/identity/verify-token.ts'
import { createAddressRule } from '../egress/allowed-addresses.ts'
import { createCheckAddress } from '../egress/check-address.ts'
import { withCircuitBreaker } from '../egress/circuit-breaker.ts'
import { createGuardedRequest } from '../egress/guarded-request.ts'
import { createOpenLdap } from '../egress/open-ldap.ts'
import { createAccessKeyStore } from '../storage/identity/access-keys.ts'
import type { Database } from '../storage/database.ts'
import { createDirectory } from '../storage/identity/directory.ts'
import { createDeliveryLog } from '../storage/event-sinks.ts'
import { createEventStore } from '../storage/event-store.ts'
import { createErasePasswords } from '../storage/identity/erase-passwords.ts'
import { createFactorStore } from '../storage/identity/factors.ts'
import { createLoginGuard } from '../storage/identity/login-guard.ts'
import { createRegistry } from '../storage/registry/registry.ts'
import { createTokenStore } from '../storage/identity/tokens.ts'
import type { SecretKey } from '../vault/secret-key.ts'

interface Parts {
  readonly database: Database
  readonly hasher: PasswordHasher
  readonly key: SecretKey
  readonly clock: Clock
  readonly memory: CacheMemory
  readonly authUrl: string
  readonly baseUrl: string
  readonly region: string
  /** How long a token lives, in milliseconds. */
  readonly lifetime: number
  /** Failed logins by one method from one address; 0 for no limit. */
  readonly loginFailuresPerMinute: number
  /** Limits of tokens and access keys that have not expired; 0 for no limit. */
  readonly tokensPerUser: number
  readonly accessKeysPerUser: number
  /** How long keys of users of identity providers work after a login there, in milliseconds. */
  readonly keyConfirmation: number
  /** After how long without a login a service account is unused, in milliseconds; 0 for never. */
  readonly serviceAccountUnused: number
  /** How long the audit log is kept, in milliseconds. */
  readonly eventRetention: number
  /** Private addresses that may be contacted. */
  readonly reachable: readonly string[]
}

/** Composes the use cases of identity. Register new login methods here. */
export function composeIdentity(parts: Parts) {
  const { database, hasher, key, clock, memory, lifetime } = parts
  const identityVersion: IdentityVersion = { current: database.currentVersion }
  const directory = createDirectory(database)
  const tokens = createTokenStore(database, parts.tokensPerUser)
  const events = createEventStore(database)
  const deliveries = createDeliveryLog(database)
  const guard = createLoginGuard(database)
  const registry = createRegistry(database, { clock, unusedAfter: parts.serviceAccountUnused })
  const erasePasswords = createErasePasswords(database)
  const findUserStatus = createFindUserStatus({ directory, identityVersion, clock, memory })
  const verifyToken = createVerifyToken({ tokens, findUserStatus, identityVersion, clock, memory })
  const reauthorizeCaller = createReauthorizeCaller({ tokens, directory, clock })
  const inspectToken = createInspectToken(verifyToken)
  const addressRule = createAddressRule(parts.reachable)
  const drivers = createDrivers({
    send: withCircuitBreaker(createGuardedRequest(addressRule)),
    openLdap: createOpenLdap(addressRule),
  })
  // Fewer than logins, which must not wait for them.
  const trialQueue = createBoundedQueue({
    name: 'tests of identity providers',
    capacity: 2,
    perKey: 1,
    maxWaiting: 8,
    maxWaitingPerKey: 2,
    maxWait: 10_000,
  })
  const credentialDrivers = drivers.filter((driver) => 'verify' in driver)
  const loginLimit = createLoginLimit({
    perMinute: parts.loginFailuresPerMinute,
    providerMethods: credentialDrivers.map(({ names }) => names[0]),
    guard,
    clock,
  })
  const checkPassword = createCheckPassword({ guard, hasher, clock })
  const factors = createFactorStore(database)
  const passcodes = createCheckPasscode({ factors, secretBox: key, clock })
  const catalog = createCatalog(parts)
  const describeToken = createDescribeToken(catalog, memory)
  // Limited, because DNS lookups share threads with password hashing and need no authentication.
  // One provider takes half of each limit at most, so that a slow one leaves room for the others.
  const providerQueue = createBoundedQueue({
    name: 'logins',
    capacity: 4,
    perKey: 2,
    maxWaiting: 128,
    maxWaitingPerKey: 64,
    maxWait: 2_000,
  })
  const inTurn = <Result>(providerId: string, work: () => Promise<Result>) =>
    providerQueue.run(work, { key: providerId })
  const findProvider = createFindProvider(registry)
  const decryptOptions = createDecryptOptions(registry, key)
  const provisionUser = createProvisionUser(registry, clock)
  const sync = createPeopleSync({ registry, drivers, decryptOptions, tokens, events, clock })
  const methods = [
    createPasswordMethod({
      directory,
      registry,
      checkPassword,
      checkPasscode: passcodes.checkPasscode,
      findPasswordProvider: createFindPasswordProvider({
        registry,
        drivers,
        decryptOptions,
        inTurn,
      }),
      provisionUser,
      sync,
      loginLimit,
      pseudonym: key.pseudonym,
      clock,
    }),
    createTokenMethod(verifyToken),
    createAccessKeyMethod({
      accessKeys: createAccessKeyStore(database),
      secretBox: key,
      clock,
      audience: new URL(parts.authUrl).host,
      confirmedFor: parts.keyConfirmation,
    }),
    ...credentialDrivers.map((driver) =>
      createProviderMethod(driver, {
        findProvider,
        decryptOptions,
        provisionUser,
        verifyToken,
        tokens,
        loginLimit,
        inTurn,
        clock,
      }),
    ),
  ]
  const issueToken = createIssueToken({
    methods,
    findUserStatus,
    tokens,
    events,
    loginLimit,
    describeToken,
    clock,
    lifetime,
  })
  return {
    issueToken,
    authenticateAccessKey: createAuthenticateAccessKey({ issueToken, verifyToken, memory }),
    verifyToken,
    reauthorizeCaller,
    identityVersion,
    inspectToken,
    revokeToken: createRevokeToken({ inspectToken, tokens, clock }),
    describeToken,
    catalog,
    getDeviceLogins: createGetDeviceLogins({ registry, drivers, inTurn }),
    administration: createAdministration({
      registry,
      events,
      deliveries,
      tokens,
      directory,
      findUserStatus,
      reauthorizeCaller,
      checkPassword,
      loginLimit,
      hasher,
      factors,
      passcodes,
      guard,
      host: new URL(parts.authUrl).hostname,
      secretBox: key,
      drivers,
      checkAddress: createCheckAddress(addressRule),
      providerTrials: {
        createDrivers: () =>
          createDrivers({
            send: createGuardedRequest(addressRule),
            openLdap: createOpenLdap(addressRule),
          }),
        inTurn: (userId, work) => trialQueue.run(work, { key: userId }),
      },
      mostAccessKeys: parts.accessKeysPerUser,
      clock,
    }),
    browserLogins: {
      ...createBrowserLogins({ registry, drivers, inTurn }),
      ...createProviderLogouts({ registry, tokens, drivers, inTurn, clock }),
    },
    requireCode: createRequireCode({ directory, factors, issueToken }),
    providerLogins: providerQueue.counts,
    syncPeople: sync.syncDue,
    ...createRecordDenial(events, clock),
    async purgeExpired(): Promise<void> {
      await tokens.purgeExpired(clock())
      await guard.purgeIdle(clock())
      await erasePasswords(clock())
      await events.purge(clock() - parts.eventRetention, clock())
    },
  }
}
