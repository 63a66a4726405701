//! The plot of links per year, as SVG without scripts.
//!
//! The colours are those of Okabe and Ito, and grey. People with any kind of
//! colour vision can distinguish them. The orange is darker, for contrast with
//! white; the style sheet has the original for the dark theme. Each line also
//! has its own combination of marker and dash.

use std::fmt::Debug;

use plotters::coord::Shift;
use plotters::element::{DashedPathElement, DynElement, IntoDynElement};
use plotters::prelude::*;

use super::number;

const SIZE: (u32, u32) = (860, 380);
const LEGEND: u32 = 34;
const FONT: (&str, u32) = ("sans-serif", 16);

/// A line of the plot: its name and its points, in order.
pub(super) struct Line<'p> {
    pub name: &'p str,
    pub points: Vec<(i32, u64)>,
}

/// The colour, marker and dash of a line.
#[derive(Clone, Copy)]
struct Look {
    color: RGBColor,
    shape: Shape,
    is_dashed: bool,
}

#[derive(Clone, Copy)]
enum Shape {
    Circle,
    Triangle,
    Cross,
}

const LOOKS: [Look; 6] = [
    look(RGBColor(0, 158, 115), Shape::Triangle, false),
    look(RGBColor(204, 121, 167), Shape::Cross, true),
    look(RGBColor(184, 125, 0), Shape::Cross, false),
    look(RGBColor(0, 114, 178), Shape::Circle, false),
    look(RGBColor(213, 94, 0), Shape::Triangle, true),
    look(RGBColor(128, 128, 128), Shape::Circle, true),
];

const fn look(color: RGBColor, shape: Shape, is_dashed: bool) -> Look {
    Look {
        color,
        shape,
        is_dashed,
    }
}

type Failed<'b> = DrawingAreaErrorKind<<SVGBackend<'b> as DrawingBackend>::ErrorType>;

/// The plot. Empty if there are no points.
pub(super) fn years(lines: &[Line<'_>]) -> String {
    let mut svg = String::new();
    // OK to ignore: writing to a string does not fail.
    let _ = draw(&mut svg, lines);
    svg
}

fn draw<'b>(svg: &'b mut String, lines: &[Line<'_>]) -> Result<(), Failed<'b>> {
    let points = lines.iter().flat_map(|line| &line.points);
    let years = points.clone().map(|point| point.0);
    let (Some(first), Some(last)) = (years.clone().min(), years.max()) else {
        return Ok(());
    };
    let most = points.map(|point| point.1).max().unwrap_or(0);
    let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    let (legend, area) = root.split_vertically(LEGEND);
    draw_legend(&legend, lines)?;
    let pad = i32::from(last - first < 2);
    let mut chart = ChartBuilder::on(&area)
        .margin_right(24)
        .margin_top(8)
        .x_label_area_size(48)
        .y_label_area_size(76)
        .build_cartesian_2d(first - pad..last + pad, 0..most + most / 20 + 1)?;
    let years = usize::try_from(last - first + 2 * pad + 1).unwrap_or(1);
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.15))
        .axis_style(BLACK)
        .x_labels(years.min(12))
        .y_labels(6)
        .x_label_formatter(&|year| year.to_string())
        .y_label_formatter(&|links| number(*links))
        .x_desc("year of the message")
        .y_desc("links")
        .label_style(FONT)
        .axis_desc_style(FONT)
        .draw()?;
    for (line, look) in lines.iter().zip(LOOKS) {
        let points = line.points.iter().copied();
        if look.is_dashed {
            let dashes = DashedLineSeries::new(points.clone(), 7, 5, look.color.stroke_width(2));
            chart.draw_series(dashes)?;
        } else {
            chart.draw_series(LineSeries::new(points.clone(), look.color.stroke_width(2)))?;
        }
        // A year without links has no marker, so that it does not hide the
        // markers of other lines.
        let seen = points.filter(|point| point.1 > 0);
        chart.draw_series(seen.map(|point| marker(point, look)))?;
    }
    root.present()
}

/// Draws one row of the legend: a piece of each line, and its name.
fn draw_legend<'b>(
    area: &DrawingArea<SVGBackend<'b>, Shift>,
    lines: &[Line<'_>],
) -> Result<(), Failed<'b>> {
    let mut x = 80;
    for (line, look) in lines.iter().zip(LOOKS) {
        if line.points.iter().all(|point| point.1 == 0) {
            continue;
        }
        let ends = [(x, 17), (x + 36, 17)];
        let style = look.color.stroke_width(2);
        if look.is_dashed {
            area.draw(&DashedPathElement::new(ends, 7, 5, style))?;
        } else {
            area.draw(&PathElement::new(ends, style))?;
        }
        area.draw(&marker((x + 18, 17), look))?;
        area.draw(&Text::new(line.name.to_owned(), (x + 44, 10), FONT))?;
        x += 120;
    }
    Ok(())
}

fn marker<'b, C: Clone + Debug + 'static>(
    at: C,
    look: Look,
) -> DynElement<'static, SVGBackend<'b>, C> {
    let filled = look.color.filled();
    match look.shape {
        Shape::Circle => Circle::new(at, 4, filled).into_dyn(),
        Shape::Triangle => TriangleMarker::new(at, 6, filled).into_dyn(),
        Shape::Cross => Cross::new(at, 5, look.color.stroke_width(2)).into_dyn(),
    }
}
