import type { ProviderTest } from '@muster/contract'
import type { Changes } from '../../audit/event.ts'
import type { EventStore } from '../../audit/event-store.ts'
import { diffFields, fieldsOfNew } from '../../audit/field-diff.ts'
import type { Clock } from '../../clock.ts'
import type { Scope } from '../../scope.ts'
import type { Caller } from '../caller.ts'
import { createAuditEvent } from '../create-audit-event.ts'
import type { ProviderDriver } from '../provider-driver.ts'
import type { OptionsRequest, ProviderOptions } from '../providers/read-options.ts'
import { testProvider } from '../providers/test-provider.ts'
import {
  createProviderOptions,
  withoutSecrets,
  type ProviderOptionsContext,
} from './provider-options.ts'
import { requireResource } from './require-resource.ts'

/** What contacts providers for administrators, apart from logins. */
export interface ProviderTrials {
  /** Drivers that share no cache and no circuit breaker with logins: what they find is true now. */
  readonly createDrivers: () => readonly ProviderDriver[]
  /** Bounds how many run at once, of one user and of all. */
  readonly inTurn: <Result>(userId: string, work: () => Promise<Result>) => Promise<Result>
}

interface Dependencies extends ProviderOptionsContext {
  readonly providerTrials: ProviderTrials
  readonly events: Pick<EventStore, 'record'>
  readonly clock: Clock
}

interface Target {
  readonly id: string
  readonly name: string
  readonly scope: Scope
}

const unsaved: Target = { id: '', name: '', scope: { kind: 'system' } }

/** Tests of identity providers, with options that are stored or not. */
export function createTestProviders(dependencies: Dependencies) {
  const { registry, providerTrials, events, clock } = dependencies
  const { driverOf, readNew, readChanged } = createProviderOptions(dependencies)

  async function run(
    caller: Caller,
    target: Target,
    { names }: ProviderDriver,
    options: ProviderOptions,
    changes: Changes,
  ): Promise<ProviderTest> {
    const { id, name, scope } = target
    const action = {
      action: 'test',
      targetType: 'identity_provider',
      targetId: id,
      targetName: name,
      scope,
      changes,
    } as const
    await events.record(createAuditEvent(caller, action, clock))
    const driver = providerTrials.createDrivers().find((each) => each.names[0] === names[0])
    if (!driver) throw new Error(`no driver ${names[0]}`)
    const { userId } = caller.principal.token
    return await providerTrials.inTurn(userId, () => testProvider(driver, options))
  }

  return {
    async testNewIdentityProvider(
      caller: Caller,
      input: OptionsRequest & { readonly driver: string },
    ): Promise<ProviderTest> {
      const driver = driverOf(input.driver)
      const options = readNew(driver, input)
      const shown = { driver: input.driver, ...withoutSecrets(driver, options) }
      return await run(caller, unsaved, driver, options, fieldsOfNew(shown))
    },

    async testIdentityProvider(
      caller: Caller,
      id: string,
      input: OptionsRequest,
    ): Promise<ProviderTest> {
      const provider = await requireResource(
        registry,
        'identity_providers',
        id,
        caller.authorizedScope,
      )
      const { driver, options, secretChanges } = await readChanged(caller, provider, input)
      const scope = { kind: 'domain', domainId: provider.domain_id } as const
      const changes = diffFields(provider.options, withoutSecrets(driver, options))
      return await run(caller, { ...provider, scope }, driver, options, {
        ...changes,
        ...secretChanges,
      })
    },
  }
}
