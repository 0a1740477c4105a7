import type { Caller } from '../caller.ts'
import type { ReauthorizeCaller } from '../reauthorize-caller.ts'
import type { ChangePlan, Registry } from './registry.ts'

/** Decides with the caller's rights as they are at that moment, whatever they were when the request came. */
export type Change = <Result>(
  caller: Caller,
  decide: (caller: Caller) => Promise<ChangePlan<Result>>,
) => Promise<Result>

/** A change on somebody's behalf: who asks is read again together with what the change is decided on. */
export const createChange =
  (registry: Registry, reauthorizeCaller: ReauthorizeCaller): Change =>
  (caller, decide) =>
    registry.applyChange(async () => decide(await reauthorizeCaller(caller)))
