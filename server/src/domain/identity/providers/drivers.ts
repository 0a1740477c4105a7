import { createCasDriver } from './cas/cas-driver.ts'
import { createLdapDriver } from './ldap/ldap-driver.ts'
import { createOidcDriver } from './oidc/oidc-driver.ts'
import { createWorkloadDriver } from './workload/workload-driver.ts'
import type { DriverDependencies, ProviderDriver } from '../provider-driver.ts'

/** Every kind of identity provider. */
export const createDrivers = (dependencies: DriverDependencies): readonly ProviderDriver[] => [
  createCasDriver(dependencies),
  createOidcDriver(dependencies),
  createLdapDriver(dependencies),
  createWorkloadDriver(dependencies),
]
