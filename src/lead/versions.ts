import type { DescMessage } from '@bufbuild/protobuf'
import { ContactMessageSchema, QuoteRequestSchema } from '../gen/leadintake/v1/lead_pb.ts'

/**
 * The versions of the public API, oldest first, with the message that defines the rules for each kind of lead. A
 * version is a folder in `proto/leadintake/` and a row here. Its path, OpenAPI schemas, API catalog entry and metrics
 * are derived from the row.
 */
export const versions = {
  v1: { quote: QuoteRequestSchema, support: ContactMessageSchema },
} as const satisfies Record<`v${number}`, { quote: DescMessage; support: DescMessage }>

export type Version = keyof typeof versions

export const versionNames = Object.keys(versions) as readonly Version[]

/** Creates one value per version. */
export function byVersion<T>(make: (version: Version) => T): Readonly<Record<Version, T>> {
  return Object.fromEntries(versionNames.map((version): [Version, T] => [version, make(version)])) as Record<Version, T>
}

/** The version that pages, samples and hints recommend. */
export const currentVersion: Version = 'v1'

/** The version that internal callers use, and in which the inbox shows all leads. */
export const internalVersion = 'v1' satisfies Version
