import type { OwnCommand } from './grammar/find-command.ts'

/** Commands with words of their own. What a command needs is loaded when it runs. */
export const ownCommands: readonly OwnCommand[] = [
  {
    words: ['auth', 'login'],
    summary: 'Log in and store a token in a profile.',
    load: async () => (await import('./commands/auth-login.ts')).authLogin,
  },
  {
    words: ['auth', 'status'],
    summary: 'Print who you are, and where the settings come from.',
    load: async () => (await import('./commands/auth-status.ts')).authStatus,
  },
  {
    words: ['auth', 'logout'],
    summary: 'Revoke the token and forget it.',
    load: async () => (await import('./commands/auth-logout.ts')).authLogout,
  },
  {
    words: ['auth', 'token'],
    summary: 'Print a token, for curl.',
    load: async () => (await import('./commands/auth-token.ts')).authToken,
  },
  {
    words: ['login'],
    summary: 'The same as auth login.',
    load: async () => (await import('./commands/auth-login.ts')).authLogin,
    isHidden: true,
  },
  {
    words: ['logout'],
    summary: 'The same as auth logout.',
    load: async () => (await import('./commands/auth-logout.ts')).authLogout,
    isHidden: true,
  },
  {
    words: ['whoami'],
    summary: 'The same as auth status.',
    load: async () => (await import('./commands/auth-status.ts')).authStatus,
    isHidden: true,
  },
  {
    words: ['token', 'issue'],
    summary: 'The same as auth token.',
    load: async () => (await import('./commands/auth-token.ts')).authToken,
    isHidden: true,
  },
  {
    words: ['role', 'grant'],
    summary: 'Grant a role to a user or a group.',
    load: async () => (await import('./commands/role-grant.ts')).roleGrant,
  },
  {
    words: ['role', 'revoke'],
    summary: 'Revoke a role from a user or a group.',
    load: async () => (await import('./commands/role-grant.ts')).roleRevoke,
  },
  {
    words: ['server', 'diff'],
    summary: 'Compare two moments, or several servers.',
    load: async (description) =>
      (await import('./commands/server-diff.ts')).serverDiff(description),
  },
  {
    words: ['wait'],
    summary: 'Wait until a task or a batch has ended.',
    load: async () => (await import('./commands/wait.ts')).wait,
  },
  {
    words: ['api'],
    summary: 'Send any request: muster api GET /servers.',
    load: async () => (await import('./commands/api.ts')).api,
  },
  {
    words: ['completion'],
    summary: 'Print a script that completes commands in a shell.',
    load: async () => (await import('./commands/completion.ts')).completion,
  },
  {
    words: ['__complete'],
    summary: 'What the scripts of the shells call.',
    load: async (_, own) => (await import('./commands/complete.ts')).completeCommand(own),
    isHidden: true,
  },
  {
    words: ['man'],
    summary: 'Print the man page.',
    load: async (description, own) => (await import('./commands/man.ts')).man(description, own),
  },
]
