/** Documentation of an API field. `integer` is true if the JSON number is an integer. */
export type FieldText = { description: string; example?: unknown; format?: string; integer?: boolean }
export type Texts = Record<string, FieldText>

export const id = '01932c7e-8a4b-7c3d-9f21-5b6a7c8d9e0f'
export const time = '2026-03-01T12:00:00.000000Z'
export const integer = (description: string, example: number): FieldText => ({ description, example, integer: true })
export const instant = (description: string): FieldText => ({ description, example: time, format: 'date-time' })
export const uuid = (description: string): FieldText => ({ description, example: id, format: 'uuid' })
export const orNone = (text: FieldText): FieldText => ({ ...text, example: null })

/** Descriptions of an address's location fields, whose names start with `prefix`. */
export const fieldPath = (prefix: string, address: string): Texts => {
  const locationText = (content: string, example: unknown) =>
    text(`Estimated location of ${address}: ${content}; null if unknown.`, example)
  return {
    [`${prefix}city`]: locationText('the city', 'Warsaw'),
    [`${prefix}lat`]: locationText('degrees north', 52.2),
    [`${prefix}lon`]: locationText('degrees east', 21),
    [`${prefix}region`]: locationText('ISO 3166-1 alpha-2 code', 'PL'),
  }
}

export const text = (description: string, example?: unknown): FieldText => ({
  description,
  ...(example !== undefined && { example }),
})
