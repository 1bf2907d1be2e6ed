type Stub<Part> = Part extends (...given: never[]) => unknown
  ? Part
  : Part extends object
    ? { readonly [Name in keyof Part]?: Stub<Part[Name]> }
    : Part;

/** What activities get, with the parts and the methods that a test needs. */
export const stubbed = <Context extends object>(parts: Stub<Context>): Context =>
  parts as unknown as Context;
