/** The meaning of a field, where it has no other for its object: `groups.name` before `name`. */
export type Text = { description: string; example?: unknown; format?: string; integer?: boolean }
export type Texts = Record<string, Text>

export const id = '01932c7e-8a4b-7c3d-9f21-5b6a7c8d9e0f'
export const time = '2026-03-01T12:00:00.000000Z'
export const integer = (description: string, example: number): Text => ({ description, example, integer: true })
export const instant = (description: string): Text => ({ description, example: time, format: 'date-time' })
export const uuid = (description: string): Text => ({ description, example: id, format: 'uuid' })
export const text = (description: string, example?: unknown): Text => ({
  description,
  ...(example !== undefined && { example }),
})
