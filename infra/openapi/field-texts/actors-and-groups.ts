import { id, type Texts } from './text.ts'

/** Actors, their tokens, and groups. */
export const actorsAndGroupsTexts: Texts = {
  actor_ids: { description: 'Ids of all members, ascending, without duplicates.', example: [id] },
  allow_email_otp_sign_in: {
    description: 'Whether the actor may sign in with a passcode sent by email.',
    example: true,
  },
  entity_type: { description: 'What the group stands for.', example: 'group' },
  idp_id: { description: 'Identifier at the identity provider; null for what was not synchronized.', example: null },
  scopes: {
    description: 'What the token may do: `*`, `*:read`, `<collection>:read`, `<collection>:write`.',
    example: ['*'],
  },
}
