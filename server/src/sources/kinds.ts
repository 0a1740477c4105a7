import type { SourceKind } from '../domain/sources/source.ts'
import { awsKind } from './aws/aws-kind.ts'
import { libvirtKind } from './libvirt/libvirt-kind.ts'
import { simulatorKind } from './simulator/simulator-kind.ts'

/** Every kind of source that an account can be of. */
export const kinds: readonly SourceKind[] = [libvirtKind, awsKind, simulatorKind]
