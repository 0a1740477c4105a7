import { backup } from './backup.ts'
import { check } from './check.ts'
import type { AdminCommand } from './command.ts'
import { demoRemove } from './demo-remove.ts'
import { liftRule } from './lift-rule.ts'
import { loginRules } from './login-rules.ts'
import { migrateCommand } from './migrate.ts'
import { resetFactors } from './reset-factors.ts'
import { resetPassword } from './reset-password.ts'
import { restore } from './restore.ts'
import { rotateKey } from './rotate-key.ts'

/** The commands of `muster admin`, in the order of the help. */
export const adminCommands: readonly AdminCommand[] = [
  backup,
  restore,
  check,
  demoRemove,
  migrateCommand,
  resetPassword,
  resetFactors,
  loginRules,
  liftRule,
  rotateKey,
]
