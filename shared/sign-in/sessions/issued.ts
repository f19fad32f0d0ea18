import * as v from 'valibot'
import { actorTypes } from '../../domain/actors/actor.ts'

/** What a person gets who has signed in, as the API shows it (I2.1). */
export const Issued = v.object({
  token: v.string(),
  expires_at: v.string(),
  actor: v.object({
    id: v.string(),
    name: v.string(),
    email: v.nullable(v.string()),
    type: v.picklist(actorTypes),
  }),
})
