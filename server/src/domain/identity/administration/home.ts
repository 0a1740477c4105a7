import type { Principal } from '../principal.ts'

/** The domain that a caller is in: that of the token's scope, or else the user's own. */
export function homeOf({ scope, userStatus }: Principal): string {
  switch (scope.kind) {
    case 'domain':
      return scope.domain.id
    case 'project':
      return scope.project.domain.id
    case 'none':
      return userStatus.user.domain.id
  }
}
