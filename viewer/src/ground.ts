// A ground that fades into the distance: shadows and a grid whose lines stay one pixel wide.

import * as THREE from "three";
import type { Theme } from "./palette";

const VERTEX = `
varying vec2 at;
void main() {
    at = position.xy;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const FRAGMENT = `
varying vec2 at;
uniform float cell, radius;
uniform vec3 fine, coarse;
float lines(float size) {
    vec2 p = at / size;
    vec2 d = abs(fract(p - 0.5) - 0.5) / fwidth(p);
    return 1.0 - min(min(d.x, d.y), 1.0);
}
void main() {
    float fade = 1.0 - smoothstep(0.25 * radius, radius, length(at));
    float few = lines(5.0 * cell), many = lines(cell);
    float a = max(0.85 * few, 0.55 * many) * fade;
    if (a < 0.004) discard;
    gl_FragColor = vec4(mix(fine, coarse, few), a);
    #include <colorspace_fragment>
}`;

export class Ground {
    readonly group = new THREE.Group();
    readonly grid: THREE.Mesh<THREE.PlaneGeometry, THREE.ShaderMaterial>;
    readonly shadow: THREE.Mesh<THREE.PlaneGeometry, THREE.ShadowMaterial>;

    constructor(extent: number, private readonly full: boolean) {
        const radius = 3.2 * extent;
        const plane = new THREE.PlaneGeometry(2 * radius, 2 * radius);
        const cell = Math.pow(10, Math.floor(Math.log10(extent / 2)));
        const uniforms = {
            cell: { value: extent / cell > 10 ? 2.5 * cell : cell }, radius: { value: radius },
            fine: { value: new THREE.Color() }, coarse: { value: new THREE.Color() },
        };
        const material = new THREE.ShaderMaterial({
            uniforms, vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, depthWrite: false,
            side: full ? THREE.FrontSide : THREE.DoubleSide,
        });
        this.grid = new THREE.Mesh(plane, material);
        this.grid.renderOrder = 1;
        this.shadow = new THREE.Mesh(plane, new THREE.ShadowMaterial({ opacity: 0.3 }));
        this.shadow.receiveShadow = true;
        this.shadow.material.depthWrite = false;
        this.shadow.renderOrder = 0;
        this.group.add(this.shadow, this.grid);
        this.group.matrixAutoUpdate = false;
    }

    paint(theme: Theme): void {
        this.grid.material.uniforms.fine.value.set(theme.grid);
        this.grid.material.uniforms.coarse.value.set(theme.gridStrong);
        this.shadow.material.opacity = theme.shadow;
    }

    show(grid: boolean, shadow: boolean): void {
        this.grid.visible = grid || this.full;
        this.shadow.visible = shadow;
    }

    place(matrix: THREE.Matrix4, lift: number): void {
        this.group.matrix.copy(matrix).multiply(new THREE.Matrix4().makeTranslation(0, 0, lift));
        this.group.matrixWorldNeedsUpdate = true;
    }
}

// Behind everything: a soft gradient from the horizon up.
export class Backdrop {
    private readonly scene = new THREE.Scene();
    private readonly camera = new THREE.Camera();
    private readonly material: THREE.ShaderMaterial;

    constructor() {
        this.material = new THREE.ShaderMaterial({
            uniforms: { low: { value: new THREE.Color() }, high: { value: new THREE.Color() } },
            vertexShader: "varying float y; void main() { y = position.y; gl_Position = vec4(position.xy, 1.0, 1.0); }",
            fragmentShader: `varying float y; uniform vec3 low, high;
                void main() { gl_FragColor = vec4(mix(low, high, smoothstep(-1.0, 1.0, y)), 1.0);
                #include <colorspace_fragment>
                }`,
            depthTest: false, depthWrite: false,
        });
        const sheet = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), this.material);
        sheet.frustumCulled = false;
        this.scene.add(sheet);
    }

    paint(theme: Theme): void {
        this.material.uniforms.low.value.set(theme.background);
        this.material.uniforms.high.value.set(theme.sky);
    }

    draw(renderer: THREE.WebGLRenderer): void {
        renderer.render(this.scene, this.camera);
    }
}
