import type { Server } from '@muster/contract'

/** A server in the list: the fields of its visible columns. */
export type Row = Partial<Server> & { readonly id: string }
