import * as v from 'valibot'
import { Metadata } from '../table/list.ts'

/** Response of a single object (A2.3). */
export const data = <S extends v.GenericSchema>(schema: S) => v.object({ data: schema })

/** Response of a list (A7). */
export const list = <S extends v.GenericSchema>(schema: S) => v.object({ data: v.array(schema), metadata: Metadata })

/** Response without a body. */
export const nothing = v.void()
