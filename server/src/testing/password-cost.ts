import type { PasswordCost } from '../vault/password-hasher.ts'

/** The least that argon2 accepts. The product's cost would take a tenth of the time of all tests. */
export const testPasswordCost: PasswordCost = { memoryCost: 8, timeCost: 1, parallelism: 1 }
