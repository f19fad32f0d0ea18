import * as v from 'valibot'
import { Metadata } from '../table/list.ts'

/** Response of a single object (A2.3). */
export const data = <S extends v.GenericSchema>(schema: S) => v.object({ data: schema })

/** Response of a list (A7). */
export const list = <S extends v.GenericSchema>(schema: S) => v.object({ data: v.array(schema), metadata: Metadata })

/** Response of a change that can go on after it (202): `metadata` tells how many entries are still to be written (A15.6). */
export const progressing = <S extends v.GenericSchema>(schema: S) =>
  v.object({ data: schema, metadata: v.optional(v.object({ pending: v.pipe(v.number(), v.integer()) })) })

/** Response without a body. */
export const nothing = v.void()
