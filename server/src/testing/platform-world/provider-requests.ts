import { newId } from '../../domain/new-id.ts'
import { at, audited, change, finish, list, name, read } from './request-kinds.ts'

/** Requests of identity providers. */
export const providerRequests = {
  listIdentityProviders: list(
    ({ providerName }) => ({ query: { name: providerName } }),
    ({ providerId }) => providerId,
  ),
  getIdentityProvider: read(({ providerId }) => at(providerId)),
  createIdentityProvider: change(audited('identity_providers'), ({ domainId }) => ({
    body: {
      identity_provider: {
        name: name(),
        driver: 'cas',
        url: 'https://cas.example.org/cas',
        service_url: 'https://muster.example.org/',
        domain_id: domainId,
      },
    },
  })),
  updateIdentityProvider: change(audited('identity_providers'), ({ providerId }) => ({
    ...at(providerId),
    body: { identity_provider: { service_url: `https://muster.example.org/${newId()}` } },
  })),
  deleteIdentityProvider: finish(audited('identity_providers', 'subjects'), ({ providerId }) =>
    at(providerId),
  ),

  // An address that is not allowed, so that nothing is contacted.
  testNewIdentityProvider: change(['events'], () => ({
    body: {
      identity_provider: {
        driver: 'oidc',
        options: { issuer: 'https://silent.invalid', client_id: 'muster' },
      },
    },
  })),
  testIdentityProvider: change(['events'], ({ providerId }) => ({
    ...at(providerId),
    body: { identity_provider: {} },
  })),
  previewIdentityProviderMapping: read(({ providerId }) => ({
    ...at(providerId),
    body: { claims: { user: 'somebody' } },
  })),
  getIdentityProviderDrivers: read(),
}
