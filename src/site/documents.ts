import { problemCodes } from '../problem/table.ts'
import { createApiCatalog } from './api-catalog.ts'
import type { Page } from './content/page.ts'
import type { DiscoveryContext } from './context.ts'
import { createHome, createRobots, createSecurityTxt } from './courtesies.ts'
import type { Document } from './document.ts'
import { createIcons } from './layout/icon.ts'
import { createPageDocument } from './layout/layout.ts'
import { createStylesheet } from './layout/stylesheet.ts'
import { createLlmsTxt } from './llms.ts'
import { createOpenApi } from './openapi/document.ts'
import { createApiDocs } from './pages/api-docs/page.ts'
import { createDevelopers } from './pages/developers.ts'
import { createPrivacy } from './pages/privacy.ts'
import { createProblemIndex, createProblemPage } from './pages/problems.ts'
import { createTerms } from './pages/terms.ts'

export type { DiscoveryContext } from './context.ts'

/** Everything that the public listener shows but the lead paths and `/api/v1`; each is rendered once. */
export function createDocuments(context: DiscoveryContext): Document[] {
  const pages: (readonly [path: string, create: (context: DiscoveryContext) => Page])[] = [
    ['/developers', createDevelopers],
    ['/api-docs', createApiDocs],
    ['/terms', createTerms],
    ['/privacy', createPrivacy],
    ['/problems', createProblemIndex],
    ...problemCodes.map((code) => [`/problems/${code}`, () => createProblemPage(code, context)] as const),
  ]
  return [
    createHome(context),
    createApiCatalog(context),
    createOpenApi(context),
    createLlmsTxt(context),
    ...pages.map(([path, create]) => createPageDocument(path, () => create(context), context)),
    createSecurityTxt(context),
    createRobots(context),
    createStylesheet(),
    ...createIcons(),
  ]
}
