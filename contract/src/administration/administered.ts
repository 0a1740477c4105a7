import type { AdministeredKind, PageKind } from '../resources/names.ts'
import type { AdministeredResource, PageResource } from '../resources/resource.ts'
import { credentials } from './credentials.ts'
import { domains } from './domains.ts'
import { groups } from './groups.ts'
import { identityProviders } from './identity-providers.ts'
import { policies } from './policies.ts'
import { projects } from './projects.ts'
import { roles } from './roles.ts'
import { users } from './users.ts'

/** The resources that administrators create and change: users, projects and others. */
export const administeredResources = {
  domains,
  projects,
  users,
  groups,
  roles,
  policies,
  identity_providers: identityProviders,
  credentials,
} as const satisfies Readonly<Record<AdministeredKind, AdministeredResource>> &
  Readonly<Record<PageKind, PageResource>>
export type AdministeredResources = typeof administeredResources
