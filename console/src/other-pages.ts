import { addLaterMessages } from './messages/en/later.ts'

/** The pages that are seldom the first one. Their code is loaded at once, with messages that no other page has. */
export { AccountPage } from './pages/accounts/account-page.tsx'
export { AccountsPage } from './pages/accounts/accounts-page.tsx'
export { NewAccountPage } from './pages/accounts/new-account-page.tsx'
export { ActivityPage } from './pages/activity/activity-page.tsx'
export { CheckPage } from './pages/checks/check-page.tsx'
export { ChecksPage } from './pages/checks/checks-page.tsx'
export { ComparePage } from './pages/compare/compare-page.tsx'
export { ChangesPage } from './pages/changes/changes-page.tsx'
export { IdentityEntityPage } from './pages/identity/identity-entity-page.tsx'
export { IdentityPage } from './pages/identity/identity-page.tsx'
export { InfrastructurePage } from './pages/infrastructure/infrastructure-page.tsx'
export { ResourcePage } from './pages/infrastructure/resource-page.tsx'
export { KeysPage } from './pages/me/keys-page.tsx'
export { LoginsPage } from './pages/me/logins-page.tsx'
export { SessionsPage } from './pages/me/sessions-page.tsx'
export { TasksPage } from './pages/tasks/tasks-page.tsx'

addLaterMessages()
