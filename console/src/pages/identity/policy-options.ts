import type { PolicyAction, PolicyService } from '@muster/contract'

/** The services and actions of policy rules, in display order. */
const services: Readonly<Record<PolicyService, true>> = { compute: true, identity: true }
const actions: Readonly<Record<PolicyAction, true>> = {
  list: true,
  get: true,
  create: true,
  update: true,
  delete: true,
  perform: true,
  'perform.start': true,
  'perform.stop': true,
  'perform.restart': true,
  'perform.reset': true,
  'perform.suspend': true,
  'perform.resume': true,
  'perform.change-config': true,
  'perform.syncstatus': true,
}

export const policyServices = Object.keys(services) as readonly PolicyService[]
export const policyActions = Object.keys(actions) as readonly PolicyAction[]
